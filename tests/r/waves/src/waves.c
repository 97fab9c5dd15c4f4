// SPDX-License-Identifier: GPL-3.0-or-later
// A loop without a schedule clause in a package of R.

#include <math.h>

#include <Rinternals.h>

SEXP waves_of(SEXP values, SEXP terms) {
  const R_xlen_t count = XLENGTH(values);
  const int last = Rf_asInteger(terms);
  SEXP found = PROTECT(Rf_allocVector(REALSXP, count));
  const double* from = REAL(values);
  double* to = REAL(found);
#pragma omp parallel for
  for (R_xlen_t i = 0; i < count; i++) {
    double sum = 0;
    for (int k = 1; k <= last; k++) {
      sum += sin(k * from[i]) / k;
    }
    to[i] = sum;
  }
  UNPROTECT(1);
  return found;
}
