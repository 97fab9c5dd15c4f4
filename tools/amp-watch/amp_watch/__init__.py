# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads what GOMP_AMP_REPORT and GOMP_AMP_TRACE wrote. The standard library only; Python 3.9.

report.py    the command amp-report
trace.py     the command amp-trace
reports.py   reading and merging reports
sums.py      figures of a report
advice.py    what is the matter with a region, and what to do
text.py      a report as text
explain.py   what amp-run --explain shows
page.py      a report as a page with pictures
traces.py    reading, aligning, cutting, merging and writing traces
events.py    the raw events of a trace
slices.py    the slices that they are, on rows of cores and threads
lanes.py     lanes of rows, and the gaps of workers
chrome.py    these as Chrome's trace events
words.py     what both files call things, by words.def
names.py     functions and lines of regions, loops and tasks
"""
