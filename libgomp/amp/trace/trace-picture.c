/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Turns the events of all rings into a picture: rows, and the pieces on them.

   On a row pieces nest.  An id that takes turns holds its worker's core only
   between its waits.  So it is cut into segments there, together with the loops
   and tasks in it.  Segments that overlap, because an id runs beside the turn,
   get further lanes.  */

#include "libgomp.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "trace/trace-data.h"
#include "report/report-data.h"

/* The end of what has not ended.  */
#define OPEN (~0ULL)
#define NO_RUN (~0ULL)
#define NO_CLASS 0xff
#define NO_ROW (~0U)

/* A region or id that has begun.  */
struct open
{
  bool region;
  /* It is in no other id of the thread.  */
  bool outer;
  unsigned long long run, began;
  unsigned id;
  const struct gomp_trace_event *event;
  /* Of a region: the row of its first id.  */
  unsigned row;
};

/* Where the reading of a ring is.  */
struct reader
{
  struct gomp_trace_picture *picture;
  const struct gomp_trace_ring *ring;
  /* The end of its events.  */
  const struct gomp_trace_event *end;
  struct open *open;
  size_t opens;
  /* In an id, whose segments are those from FIRST on.  FOLDED: it takes
     turns.  */
  bool inside, folded;
  size_t first;
  /* Where its thread's last id ran, and in which run.  */
  unsigned last_row;
  unsigned long long last_run;
};

/* Have room for one more in *LIST, which has COUNT of SIZE bytes.  Returns
   false if memory is short.  */

static bool
grow (void *list, size_t count, size_t size)
{
  void **at = list, *larger;

  /* It has room for the next power of two.  */
  if ((count & (count - 1)) != 0)
    return true;
  larger = realloc (*at, (count != 0 ? 2 * count : 1) * size);
  if (larger == NULL)
    return false;
  *at = larger;
  return true;
}

#define GROW(owner, list, count) \
  (grow (&(owner)->list, (owner)->count, sizeof *(owner)->list))

static unsigned
kind_of (const struct gomp_trace_event *event)
{
  return event->word[0] & 0xff;
}

static unsigned long long
time_of (const struct gomp_trace_event *event)
{
  return event->word[0] >> 8;
}

/* When EVENT ended.  */

static unsigned long long
end_of (const struct gomp_trace_event *event)
{
  unsigned kind = kind_of (event);
  bool spans = (kind >= GOMP_TRACE_PART || kind == GOMP_TRACE_WAITED
		|| kind == GOMP_TRACE_TASK);

  return time_of (event) + (spans ? event->word[1] >> 16 : 0);
}

static unsigned
find_row (struct reader *reader, unsigned worker, unsigned long long pool)
{
  struct gomp_trace_picture *picture = reader->picture;
  unsigned ring = 0;

  if (worker == GOMP_TRACE_NO_WORKER)
    {
      ring = reader->ring->number;
      pool = 0;
    }
  for (size_t i = picture->rows; i-- != 0;)
    if (picture->row[i].pool == pool && picture->row[i].worker == worker
	&& picture->row[i].ring == ring)
      return i;
  if (!GROW (picture, row, rows))
    {
      picture->short_of_memory = true;
      return 0;
    }
  picture->row[picture->rows] = (struct gomp_trace_row)
    { .pool = pool, .worker = worker, .ring = ring, .cls = -1 };
  return picture->rows++;
}

static void
add_segment (struct reader *reader, unsigned row, unsigned long long run,
	     unsigned long long start, unsigned long long end, bool region)
{
  struct gomp_trace_picture *picture = reader->picture;

  if (picture->short_of_memory || !GROW (picture, segment, segments))
    {
      picture->short_of_memory = true;
      return;
    }
  picture->segment[picture->segments++] = (struct gomp_trace_segment)
    {
      .start = start,
      .end = end,
      .run = run,
      .row = row,
      .waits_for = GOMP_TRACE_BARRIER,
      .region = region
    };
}

static struct gomp_trace_piece *
add_piece (struct gomp_trace_picture *picture, size_t segment, unsigned depth,
	   const struct gomp_trace_event *event, unsigned long long start,
	   unsigned long long end)
{
  struct gomp_trace_piece *piece;

  if (picture->short_of_memory || !GROW (picture, piece, pieces))
    {
      picture->short_of_memory = true;
      return NULL;
    }
  piece = &picture->piece[picture->pieces++];
  *piece = (struct gomp_trace_piece)
    {
      .start = start,
      .end = end,
      .a = event->word[1],
      .b = event->word[2],
      .c = event->word[3],
      .segment = segment,
      .depth = depth < 0xffff ? depth : 0xffff,
      .kind = kind_of (event),
      .cls = NO_CLASS
    };
  return piece;
}

/* Add the pieces of EVENT, from START to END, to the segments of the id that
   the thread is in, or to one of its own.  */

static void
add_pieces (struct reader *reader, const struct gomp_trace_event *event,
	    unsigned depth, unsigned long long start, unsigned long long end,
	    unsigned flags)
{
  struct gomp_trace_picture *picture = reader->picture;
  size_t at = picture->segments, made = 0, first = 0;

  if (!reader->inside)
    {
      /* A task that runs when the thread's id has ended, say.  */
      if (reader->last_row == NO_ROW)
	reader->last_row = find_row (reader, GOMP_TRACE_NO_WORKER, 0);
      add_segment (reader, reader->last_row, reader->last_run, start, end,
		   false);
      reader->first = at;
    }
  if (picture->short_of_memory)
    return;
  while (at > reader->first && picture->segment[at - 1].end > start)
    at--;
  if (at >= picture->segments)
    at = picture->segments - 1;
  for (; at < picture->segments; at++)
    {
      const struct gomp_trace_segment *segment = &picture->segment[at];
      unsigned long long from = start > segment->start ? start : segment->start;
      unsigned long long to = end < segment->end ? end : segment->end;
      struct gomp_trace_piece *piece;

      /* Something that took no time has a piece all the same.  */
      if (from >= to && (made != 0 || at + 1 < picture->segments))
	continue;
      if (to < from)
	to = from = from < segment->end ? from : segment->end;
      piece = add_piece (picture, at, depth, event, from, to);
      if (piece == NULL)
	return;
      piece->flags = flags | (made != 0 ? GOMP_TRACE_CONTINUED : 0);
      if (made++ == 0)
	first = picture->pieces - 1;
    }
  picture->piece[first].number = made;
}

/* The id that READER is in runs on PLACE of POOL from START on.  */

static void
begin_segment (struct reader *reader, unsigned place, unsigned long long pool,
	       unsigned long long run, unsigned long long start)
{
  reader->folded = place != GOMP_TRACE_NO_WORKER;
  add_segment (reader, find_row (reader, place, pool), run, start, OPEN, false);
}

static void
end_segment (struct reader *reader, unsigned long long end, unsigned waits_for)
{
  struct gomp_trace_picture *picture = reader->picture;
  struct gomp_trace_segment *last;

  if (picture->short_of_memory)
    return;
  last = &picture->segment[picture->segments - 1];
  last->end = end;
  last->waits_for = waits_for;
}

static struct open *
push (struct reader *reader, const struct gomp_trace_event *event, bool region)
{
  struct open *open;

  if (reader->picture->short_of_memory || !GROW (reader, open, opens))
    {
      reader->picture->short_of_memory = true;
      return NULL;
    }
  open = &reader->open[reader->opens++];
  *open = (struct open)
    {
      .region = region,
      .outer = !reader->inside,
      .run = event->word[1],
      .began = time_of (event),
      .id = event->word[2] >> 32,
      .event = event,
      .row = NO_ROW
    };
  return open;
}

/* Where the id that begins with EVENT runs.  A thread of a folded team may join
   that only when it first waits.  */

static unsigned
first_place (const struct reader *reader, const struct gomp_trace_event *event)
{
  const struct gomp_trace_run *run
    = gomp_trace_find_run (reader->picture, event->word[1]);
  unsigned place = event->word[2] & 0xffff;

  if (run != NULL && run->ended != OPEN && run->how == GOMP_REPORT_THREADS)
    return GOMP_TRACE_NO_WORKER;
  for (const struct gomp_trace_event *next = event + 1;
       place == GOMP_TRACE_NO_WORKER && next < reader->end; next++)
    {
      unsigned kind = kind_of (next);

      if (kind == GOMP_TRACE_WAITED || kind == GOMP_TRACE_ID_ENDS)
	place = next->word[2] & 0xffff;
      if (kind == GOMP_TRACE_ID_ENDS)
	break;
    }
  return place;
}

static void
begin_id (struct reader *reader, const struct gomp_trace_event *event)
{
  struct gomp_trace_picture *picture = reader->picture;
  struct open *open = push (reader, event, false);
  struct gomp_trace_row *row;

  if (open == NULL || !open->outer)
    return;
  reader->first = picture->segments;
  begin_segment (reader, first_place (reader, event), event->word[3], open->run,
		 open->began);
  reader->inside = true;
  if (picture->short_of_memory)
    return;
  row = &picture->row[picture->segment[picture->segments - 1].row];
  if (row->level == 0)
    {
      row->level = event->word[2] >> 16 & 0xffff;
      row->id = open->id;
    }
  if (reader->opens > 1 && reader->open[reader->opens - 2].row == NO_ROW)
    reader->open[reader->opens - 2].row = row - picture->row;
}

/* The outer id OPEN ended at END, on a core of class CLS.  */

static void
end_outer (struct reader *reader, const struct open *open, unsigned depth,
	   unsigned long long end, unsigned cls, unsigned flags)
{
  struct gomp_trace_picture *picture = reader->picture;
  size_t count;

  reader->inside = false;
  if (picture->short_of_memory)
    return;
  count = picture->segments - reader->first;
  reader->last_row = picture->segment[picture->segments - 1].row;
  reader->last_run = open->run;
  /* Unless it waits, and so has ended its last segment.  */
  if (picture->segment[picture->segments - 1].end == OPEN)
    end_segment (reader, end, GOMP_TRACE_BARRIER);
  for (size_t i = 0; i < count; i++)
    {
      const struct gomp_trace_segment *segment
	= &picture->segment[reader->first + i];
      struct gomp_trace_piece *piece
	= add_piece (picture, reader->first + i, depth, open->event,
		     segment->start, segment->end);

      if (piece == NULL)
	return;
      piece->cls = cls;
      piece->flags = flags | (i != 0 ? GOMP_TRACE_CONTINUED : 0);
      piece->number = i == 0 ? count : 0;
    }
  if (cls != NO_CLASS)
    {
      struct gomp_trace_row *row
	= &picture->row[picture->segment[picture->segments - 1].row];

      row->cls = (row->cls == -1 || row->cls == (int) cls ? (int) cls : -2);
    }
}

/* The innermost region or id ended at END.  */

static void
pop (struct reader *reader, unsigned long long end, unsigned cls,
     unsigned flags)
{
  const struct open *open = &reader->open[--reader->opens];
  unsigned depth = 2 * reader->opens + 1;

  if (!open->outer)
    add_pieces (reader, open->event, depth, open->began, end, flags);
  else if (!open->region)
    end_outer (reader, open, depth, end, cls, flags);
  else
    {
      struct gomp_trace_piece *piece;
      size_t segment = reader->picture->segments;

      add_segment (reader, open->row != NO_ROW ? open->row
		   : find_row (reader, GOMP_TRACE_NO_WORKER, 0),
		   open->run, open->began, end, true);
      if (reader->picture->short_of_memory)
	return;
      piece = add_piece (reader->picture, segment, depth, open->event,
			 open->began, end);
      if (piece != NULL)
	piece->flags = flags;
    }
}

/* EVENT ends a region or id, unless its begin is lost.  */

static void
end_open (struct reader *reader, const struct gomp_trace_event *event)
{
  bool region = kind_of (event) == GOMP_TRACE_REGION_ENDS;
  size_t at = reader->opens;

  while (at != 0
	 && (reader->open[at - 1].region != region
	     || reader->open[at - 1].run != event->word[1]
	     || (!region
		 && reader->open[at - 1].id != event->word[2] >> 32)))
    at--;
  if (at == 0)
    return;
  /* What is in it has not ended: its thread was cancelled, say.  */
  while (reader->opens > at)
    pop (reader, time_of (event), NO_CLASS, GOMP_TRACE_UNFINISHED);
  pop (reader, time_of (event),
       region ? NO_CLASS : event->word[2] >> 16 & 0xffff, 0);
}

static void
wait (struct reader *reader, const struct gomp_trace_event *event)
{
  unsigned kind = event->word[1] & 0xffff;

  if (reader->inside && reader->folded)
    {
      end_segment (reader, time_of (event), kind);
      if (!reader->picture->short_of_memory)
	begin_segment (reader, event->word[2] & 0xffff, event->word[3],
		       reader->picture->segment[reader->first].run,
		       end_of (event));
    }
  else if (reader->inside
	   || (kind == GOMP_TRACE_BARRIER
	       && (event->word[2] & 0xffff) == GOMP_TRACE_NO_WORKER))
    add_pieces (reader, event, 2 * reader->opens, time_of (event),
		end_of (event), 0);
}

/* An instant, which is on the row of the thread's present id, or of the worker
   that it names.  */

static void
add_instant (struct reader *reader, const struct gomp_trace_event *event,
	     unsigned place, unsigned long long pool)
{
  struct gomp_trace_picture *picture = reader->picture;

  if (!reader->inside && place != GOMP_TRACE_NO_WORKER)
    {
      size_t segment = picture->segments;

      add_segment (reader, find_row (reader, place, pool), NO_RUN,
		   time_of (event), time_of (event), false);
      if (!picture->short_of_memory)
	add_piece (picture, segment, 0, event, time_of (event),
		   time_of (event));
    }
  else
    add_pieces (reader, event, 2 * reader->opens, time_of (event),
		time_of (event), 0);
}

static void
read_event (struct reader *reader, const struct gomp_trace_event *event)
{
  switch (kind_of (event))
    {
    case GOMP_TRACE_REGION_BEGINS:
      push (reader, event, true);
      break;
    case GOMP_TRACE_ID_BEGINS:
      begin_id (reader, event);
      break;
    case GOMP_TRACE_REGION_ENDS:
    case GOMP_TRACE_ID_ENDS:
      end_open (reader, event);
      break;
    case GOMP_TRACE_WAITED:
      wait (reader, event);
      break;
    case GOMP_TRACE_STOLEN:
    case GOMP_TRACE_LATE:
      add_instant (reader, event, event->word[1] & 0xffff, event->word[2]);
      break;
    case GOMP_TRACE_THREAD_ENDS:
      reader->last_row = NO_ROW;
      reader->last_run = NO_RUN;
      while (reader->opens != 0)
	pop (reader, time_of (event), NO_CLASS, GOMP_TRACE_UNFINISHED);
      break;
    case GOMP_TRACE_FACTORS:
      add_instant (reader, event, GOMP_TRACE_NO_WORKER, 0);
      break;
    default:
      add_pieces (reader, event, 2 * reader->opens, time_of (event),
		  end_of (event), 0);
    }
}

/* End what is open when the trace is written.  If SINCE is not 0 the thread has
   waited for WAITS_FOR since then.  */

static void
close_all (struct reader *reader, unsigned long long since, unsigned waits_for)
{
  unsigned long long now = reader->picture->now;
  struct gomp_trace_event waited;

  if (since != 0 && since >= gomp_trace.began
      && since - gomp_trace.began <= now && reader->inside)
    {
      since -= gomp_trace.began;
      waited.word[0] = since << 8 | GOMP_TRACE_WAITED;
      waited.word[1] = (now - since) << 16 | waits_for;
      waited.word[2] = GOMP_TRACE_NO_WORKER;
      waited.word[3] = 0;
      if (reader->folded)
	end_segment (reader, since, waits_for);
      else
	add_pieces (reader, &waited, 2 * reader->opens, since, now,
		    GOMP_TRACE_UNFINISHED);
    }
  while (reader->opens != 0)
    pop (reader, now, NO_CLASS, GOMP_TRACE_UNFINISHED);
}

static bool
starts (const struct gomp_trace_event *event)
{
  return (kind_of (event) == GOMP_TRACE_REGION_BEGINS
	  || kind_of (event) == GOMP_TRACE_ID_BEGINS);
}

static void
add_run (struct gomp_trace_picture *picture,
	 const struct gomp_trace_event *event)
{
  bool begins = kind_of (event) == GOMP_TRACE_REGION_BEGINS;
  unsigned long long time = time_of (event);

  if (picture->short_of_memory || !GROW (picture, run, runs))
    {
      picture->short_of_memory = true;
      return;
    }
  picture->run[picture->runs++] = (struct gomp_trace_run)
    {
      .serial = event->word[1],
      .began = begins ? time : OPEN,
      .ended = begins ? OPEN : time,
      .site = begins ? event->word[2] & 0xffff : GOMP_TRACE_NO_SITE,
      .ids = begins ? event->word[2] >> 32 : 0,
      .level = begins ? event->word[2] >> 16 & 0xffff : 0,
      .how = begins ? 0 : event->word[2]
    };
}

static int
compare_runs (const void *a, const void *b)
{
  const struct gomp_trace_run *first = a, *second = b;

  if (first->serial != second->serial)
    return first->serial < second->serial ? -1 : 1;
  /* The begin first.  */
  return (first->began > second->began) - (first->began < second->began);
}

/* Make one run of each begin and end.  */

static void
join_runs (struct gomp_trace_picture *picture)
{
  size_t to = 0;

  qsort (picture->run, picture->runs, sizeof *picture->run, compare_runs);
  for (size_t i = 0; i < picture->runs; i++)
    if (to != 0 && picture->run[to - 1].serial == picture->run[i].serial)
      {
	picture->run[to - 1].ended = picture->run[i].ended;
	picture->run[to - 1].how = picture->run[i].how;
      }
    else
      picture->run[to++] = picture->run[i];
  picture->runs = to;
}

const struct gomp_trace_run *
gomp_trace_find_run (const struct gomp_trace_picture *picture,
		     unsigned long long serial)
{
  size_t low = 0, high = picture->runs;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (picture->run[middle].serial < serial)
	low = middle + 1;
      else
	high = middle;
    }
  return (low < picture->runs && picture->run[low].serial == serial
	  ? &picture->run[low] : NULL);
}

/* How many of the COUNT events from EVENT on are of the picture.  Threads that
   still run record more while it is made.  */

static unsigned long long
until_now (const struct gomp_trace_picture *picture,
	   const struct gomp_trace_event *event, unsigned long long count)
{
  while (count != 0 && end_of (&event[count - 1]) > picture->now)
    count--;
  return count;
}

/* Add the runs that the thread of RING started.  */

static void
read_runs (struct gomp_trace_picture *picture,
	   const struct gomp_trace_ring *ring)
{
  unsigned long long count, lost;
  struct gomp_trace_event *event = gomp_trace_copy (ring, &count, &lost);

  if (event == NULL)
    {
      picture->short_of_memory = true;
      return;
    }
  count = until_now (picture, event, count);
  for (unsigned long long i = 0; i < count; i++)
    if (kind_of (&event[i]) == GOMP_TRACE_REGION_BEGINS
	|| kind_of (&event[i]) == GOMP_TRACE_REGION_ENDS)
      add_run (picture, &event[i]);
  free (event);
}

static void
read_ring (struct gomp_trace_picture *picture,
	   const struct gomp_trace_ring *ring)
{
  struct reader reader =
    {
      .picture = picture,
      .ring = ring,
      .last_row = NO_ROW,
      .last_run = NO_RUN
    };
  unsigned long long count, lost, since, i = 0;
  struct gomp_trace_event *event = gomp_trace_copy (ring, &count, &lost);

  if (event == NULL)
    {
      picture->short_of_memory = true;
      return;
    }
  since = GOMP_REPORT_READ (ring->since);
  count = until_now (picture, event, count);
  if (lost != 0)
    {
      /* The regions and ids of the first events are lost.  */
      while (i < count && !starts (&event[i]))
	i++;
      picture->lost += lost + i;
      if (i < count && time_of (&event[i]) > picture->complete)
	picture->complete = time_of (&event[i]);
    }
  reader.end = event + count;
  for (; i < count; i++)
    read_event (&reader, &event[i]);
  close_all (&reader, since, ring->waits_for);
  free (reader.open);
  free (event);
}

/* For compare_segments, which sorts numbers of segments.  */

static const struct gomp_trace_segment *sorted;

static int
compare_segments (const void *a, const void *b)
{
  const struct gomp_trace_segment *first = &sorted[*(const unsigned *) a];
  const struct gomp_trace_segment *second = &sorted[*(const unsigned *) b];

  if (first->row != second->row)
    return first->row < second->row ? -1 : 1;
  if (first->start != second->start)
    return first->start < second->start ? -1 : 1;
  if (first->region != second->region)
    return first->region ? -1 : 1;
  return (second->end > first->end) - (second->end < first->end);
}

/* When the last segment of a lane ends, and its region.  */
struct lane
{
  unsigned long long last, region;
};

static bool
fits (const struct lane *lane, const struct gomp_trace_segment *segment)
{
  if (segment->start < lane->last)
    return false;
  if (segment->start >= lane->region)
    return true;
  return !segment->region && segment->end <= lane->region;
}

/* Give each segment a lane of its row.  INDEX: by row and start.  */

static void
find_lanes (struct gomp_trace_picture *picture, const unsigned *index)
{
  struct
  {
    struct lane *lane;
    size_t lanes;
  } list = { NULL, 0 };
  unsigned row = ~0U;

  for (size_t i = 0; i < picture->segments; i++)
    {
      struct gomp_trace_segment *segment = &picture->segment[index[i]];
      size_t lane;

      if (segment->row != row)
	list.lanes = 0;
      row = segment->row;
      for (lane = 0; lane < list.lanes; lane++)
	if (fits (&list.lane[lane], segment))
	  break;
      if (lane == list.lanes)
	{
	  if (!GROW (&list, lane, lanes))
	    {
	      picture->short_of_memory = true;
	      break;
	    }
	  list.lane[list.lanes++] = (struct lane) { 0, 0 };
	}
      if (segment->region)
	list.lane[lane].region = segment->end;
      else
	list.lane[lane].last = segment->end;
      segment->lane = lane;
      if (lane >= picture->row[row].lanes)
	picture->row[row].lanes = lane + 1;
    }
  free (list.lane);
}

/* A worker that has nothing to run waits for what its last id waits for: until
   its next id runs or the region ends.  */

static void
fill_gaps (struct gomp_trace_picture *picture, const unsigned *index)
{
  size_t count = picture->segments;
  struct reader reader = { .picture = picture };
  const struct gomp_trace_event idle = { { GOMP_TRACE_WAITED } };

  for (size_t i = 0; i < count && !picture->short_of_memory; i++)
    {
      struct gomp_trace_segment before = picture->segment[index[i]];
      const struct gomp_trace_run *run;
      struct gomp_trace_piece *piece;
      unsigned long long end;
      size_t next = i + 1;
      bool ended;

      if (picture->row[before.row].worker == GOMP_TRACE_NO_WORKER
	  || before.lane != 0 || before.region || before.run == NO_RUN)
	continue;
      run = gomp_trace_find_run (picture, before.run);
      ended = run != NULL && run->ended != OPEN;
      end = ended ? run->ended : before.end;
      while (next < count && picture->segment[index[next]].row == before.row
	     && (picture->segment[index[next]].lane != 0
		 || picture->segment[index[next]].run == NO_RUN))
	next++;
      if (next < count && picture->segment[index[next]].row == before.row)
	{
	  const struct gomp_trace_segment *after
	    = &picture->segment[index[next]];

	  if (ended ? after->start < end
	      : after->run == before.run && !after->region)
	    end = after->start;
	}
      if (end <= before.end)
	continue;
      add_segment (&reader, before.row, before.run, before.end, end, false);
      if (picture->short_of_memory)
	break;
      piece = add_piece (picture, picture->segments - 1, 2, &idle, before.end,
			 end);
      if (piece == NULL)
	break;
      piece->a = (end - before.end) << 16 | before.waits_for;
      piece->flags = GOMP_TRACE_IDLE;
    }
}

/* Number the rows' lanes: workers first, pool by pool, then threads.  */

static void
number_rows (struct gomp_trace_picture *picture)
{
  unsigned tid = 1;

  for (size_t i = 0; i < picture->rows; i++)
    {
      struct gomp_trace_row *least = NULL;

      for (size_t j = 0; j < picture->rows; j++)
	{
	  struct gomp_trace_row *row = &picture->row[j];
	  bool thread = row->worker == GOMP_TRACE_NO_WORKER;

	  if (row->tid != 0)
	    continue;
	  if (least == NULL
	      || (thread != (least->worker == GOMP_TRACE_NO_WORKER)
		  ? !thread
		  : row->pool != least->pool ? row->pool < least->pool
		  : thread ? row->ring < least->ring
		  : row->worker < least->worker))
	    least = row;
	}
      if (least->lanes == 0)
	least->lanes = 1;
      least->tid = tid;
      tid += least->lanes;
    }
}

/* For compare_pieces.  */

static const struct gomp_trace_picture *present;

static unsigned
tid_of (const struct gomp_trace_picture *picture,
	const struct gomp_trace_piece *piece)
{
  const struct gomp_trace_segment *segment = &picture->segment[piece->segment];

  return picture->row[segment->row].tid + segment->lane;
}

static int
compare_pieces (const void *a, const void *b)
{
  const struct gomp_trace_piece *first = a, *second = b;
  unsigned first_tid = tid_of (present, first);
  unsigned second_tid = tid_of (present, second);

  if (first_tid != second_tid)
    return first_tid < second_tid ? -1 : 1;
  if (first->start != second->start)
    return first->start < second->start ? -1 : 1;
  if (first->end != second->end)
    return first->end > second->end ? -1 : 1;
  return first->depth < second->depth ? -1 : first->depth > second->depth;
}

bool
gomp_trace_make_picture (struct gomp_trace_picture *picture)
{
  unsigned *index;

  *picture = (struct gomp_trace_picture)
    { .now = gomp_amp_clock () - gomp_trace.began };
  for (const struct gomp_trace_ring *ring = gomp_trace.rings; ring != NULL;
       ring = ring->next)
    read_runs (picture, ring);
  join_runs (picture);
  for (const struct gomp_trace_ring *ring = gomp_trace.rings; ring != NULL;
       ring = ring->next)
    read_ring (picture, ring);
  index = malloc ((picture->segments + 1) * sizeof *index);
  if (index == NULL || picture->short_of_memory)
    {
      free (index);
      return false;
    }
  for (size_t i = 0; i < picture->segments; i++)
    index[i] = i;
  sorted = picture->segment;
  qsort (index, picture->segments, sizeof *index, compare_segments);
  find_lanes (picture, index);
  fill_gaps (picture, index);
  free (index);
  number_rows (picture);
  present = picture;
  qsort (picture->piece, picture->pieces, sizeof *picture->piece,
	 compare_pieces);
  return !picture->short_of_memory;
}

void
gomp_trace_free_picture (struct gomp_trace_picture *picture)
{
  free (picture->piece);
  free (picture->segment);
  free (picture->row);
  free (picture->run);
}
