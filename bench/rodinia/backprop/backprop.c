/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Back propagation of the Rodinia suite: a network of a wide input layer, a small hidden layer and
   one output is trained; each step has a loop over blocks of inputs forward and one that adjusts
   weights.

   Source: Rumelhart, Hinton, Williams, "Learning representations by back-propagating errors",
   Nature 323, 1986, with momentum; Che et al., "Rodinia", IISWC 2009, for the shape.  Weights and
   the rate of learning shrink with the inputs, so that the hidden units do not saturate.

   Verified by all weights after the last step against a serial training.  Those of the inputs have
   to agree to 1e-8 / inputs, a small part of what a single step adds to them, and the output's to
   1e-10; the order of a sum matters less by orders of magnitude.  */

#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum
{
  HIDDEN = 16,
  /* Different inputs, trained in turn.  */
  PATTERNS = 8
};

static const double rate = 0.3, momentum = 0.3, output_tolerance = 1e-10;
static const uint64_t seed_input = 1, seed_hidden = 2, seed_output = 3;

typedef double units[HIDDEN];

/* The weights of all connections and what the last step added to them.  Input 0 and weight 0 of the
   output are the thresholds.  BLOCK inputs are an iteration of a loop.  */
struct network
{
  long inputs, block;
  units *weight, *change;
  double output_weight[HIDDEN + 1], output_change[HIDDEN + 1];
};

/* Pattern p has the INPUTS values from VALUE[p * INPUTS] and is to give TARGET[p].  */
struct patterns
{
  long inputs;
  double *value, target[PATTERNS];
};

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

static void
make_patterns (struct patterns *p)
{
  p->value = bench_allocate (PATTERNS * p->inputs, sizeof *p->value);
  for (long n = 0; n < PATTERNS; n++)
    {
      for (long i = 0; i < p->inputs; i++)
	p->value[n * p->inputs + i] = i == 0 ? 1 : bench_uniform (seed_input, n * p->inputs + i);
      p->target[n] = n % 2 == 0 ? 0.1 : 0.9;
    }
}

static struct network
new_network (long inputs, long block)
{
  return (struct network){ .inputs = inputs,
			   .block = block,
			   .weight = bench_allocate (inputs, sizeof (units)),
			   .change = bench_allocate (inputs, sizeof (units)) };
}

/* Return to the weights before the first step.  */
static void
begin (struct network *n)
{
  double scale = 1 / sqrt (n->inputs);
  memset (n->change, 0, n->inputs * sizeof *n->change);
  memset (n->output_change, 0, sizeof n->output_change);
  for (long i = 0; i < n->inputs; i++)
    for (int h = 0; h < HIDDEN; h++)
      n->weight[i][h] = scale * (2 * bench_uniform (seed_hidden, i * HIDDEN + h) - 1);
  for (int h = 0; h <= HIDDEN; h++)
    n->output_weight[h] = 2 * bench_uniform (seed_output, h) - 1;
}

/* The layers behind the input: from the hidden units' SUM to what their errors ask of an input of
   1, in CORRECTION, while the output's weights are adjusted.  */
static void
correct (struct network *n, const double *sum, double target, double *correction)
{
  double hidden[HIDDEN + 1] = { 1 }, total = n->output_weight[0];
  for (int h = 1; h <= HIDDEN; h++)
    {
      hidden[h] = sigmoid (sum[h - 1]);
      total += hidden[h] * n->output_weight[h];
    }
  double output = sigmoid (total), error = output * (1 - output) * (target - output);
  for (int h = 0; h <= HIDDEN; h++)
    {
      if (h > 0)
	correction[h - 1] = rate / n->inputs * hidden[h] * (1 - hidden[h]) * error
			    * n->output_weight[h];
      n->output_change[h] = rate * error * hidden[h] + momentum * n->output_change[h];
      n->output_weight[h] += n->output_change[h];
    }
}

static void
train (struct network *n, const double *value, double target)
{
  long inputs = n->inputs, block = n->block;
  units *weight = n->weight, *change = n->change;
  units sum = { 0 }, correction;

#pragma omp parallel for reduction(+ : sum)
  for (long first = 0; first < inputs; first += block)
    for (long i = first; i < bench_least (first + block, inputs); i++)
      for (int h = 0; h < HIDDEN; h++)
	sum[h] += value[i] * weight[i][h];

  correct (n, sum, target, correction);

#pragma omp parallel for
  for (long first = 0; first < inputs; first += block)
    for (long i = first; i < bench_least (first + block, inputs); i++)
      for (int h = 0; h < HIDDEN; h++)
	{
	  change[i][h] = value[i] * correction[h] + momentum * change[i][h];
	  weight[i][h] += change[i][h];
	}
}

/* The same from the last input to the first.  */
static void
train_serially (struct network *n, const double *value, double target)
{
  units sum = { 0 }, correction;
  for (long i = n->inputs - 1; i >= 0; i--)
    for (int h = 0; h < HIDDEN; h++)
      sum[h] += value[i] * n->weight[i][h];
  correct (n, sum, target, correction);
  for (long i = n->inputs - 1; i >= 0; i--)
    for (int h = 0; h < HIDDEN; h++)
      {
	n->change[i][h] = value[i] * correction[h] + momentum * n->change[i][h];
	n->weight[i][h] += n->change[i][h];
      }
}

/* Train STEPS times from the first weights.  Returns the seconds taken.  */
static double
run (struct network *n, const struct patterns *p, long steps,
     void (*step) (struct network *, const double *, double))
{
  begin (n);
  double start = bench_now ();
  for (long s = 0; s < steps; s++)
    step (n, p->value + s % PATTERNS * p->inputs, p->target[s % PATTERNS]);
  return bench_now () - start;
}

static int
same (const struct network *a, const struct network *b)
{
  double tolerance = 1e-8 / a->inputs;
  for (long i = 0; i < a->inputs; i++)
    for (int h = 0; h < HIDDEN; h++)
      if (!(fabs (a->weight[i][h] - b->weight[i][h]) <= tolerance))
	return 0;
  for (int h = 0; h <= HIDDEN; h++)
    if (!(fabs (a->output_weight[h] - b->output_weight[h]) <= output_tolerance))
      return 0;
  return 1;
}

int
main (int argc, char **argv)
{
  long size = 65536, block = 256, steps = 150, repeats = 2;
  bench_options (argc, argv, "Train a neural network by back propagation.",
      { "size", &size, 1, 1L << 24, "units of the input layer", NULL },
      { "block", &block, 1, 1L << 24, "inputs of an iteration of a loop", NULL },
      { "steps", &steps, 1, 100000, "steps of a training", NULL },
      { "repeats", &repeats, 1, 100000, "trainings, each from the same weights", NULL });

  struct patterns p = { .inputs = size + 1 };
  make_patterns (&p);
  struct network expected = new_network (p.inputs, block);
  struct network trained = new_network (p.inputs, block);
  run (&expected, &p, steps, train_serially);

  int verified = 1;
  double seconds = 0;
  for (long r = 0; r < repeats; r++)
    {
      seconds += run (&trained, &p, steps, train);
      verified = same (&trained, &expected) && verified;
    }
  return bench_print_result (seconds, verified, NULL);
}
