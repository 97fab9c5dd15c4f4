// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/tables.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace coord {

#define TABLE(identifier, letter, title) std::vector<Figure> table_##identifier();
#include "sim/tables.def"

std::span<const Table> tables() {
  static const std::vector<Table> rows = {
#define TABLE(identifier, letter, title) {letter, title, table_##identifier},
#include "sim/tables.def"
  };
  return rows;
}

namespace {

std::string number(double value) {
  std::ostringstream text;
  text << std::setprecision(std::abs(value) >= 1000 ? 6 : 4) << value;
  return text.str();
}

std::string band(const Figure &figure) {
  const bool low = std::isfinite(figure.least), high = std::isfinite(figure.most);
  if (low && high)
    return number(figure.least) + " to " + number(figure.most);
  return low ? ">= " + number(figure.least) : high ? "<= " + number(figure.most) : "-";
}

} // namespace

std::string markdown(const Table &table, std::span<const Figure> figures) {
  std::ostringstream text;
  text << "### " << table.letter << ". " << table.title
       << "\n\n| # | figure | paper | ours | band | |\n|---|---|--:|--:|--:|---|\n";
  for (const Figure &figure : figures)
    text << "| " << figure.id << " | " << figure.what << " | " << figure.paper << " | "
         << number(figure.ours) << (figure.unit.empty() ? "" : " ") << figure.unit << " | "
         << band(figure) << " | " << (figure.inside() ? "" : "**outside**: " + figure.reason)
         << " |\n";
  return text.str();
}

} // namespace coord
