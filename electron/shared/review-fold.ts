/**
 * A review of the spans of a build: verdicts, notes and failure kinds. It is stored as a list of events, from which the
 * displayed state is computed, in both processes. Spans are identified by their position in the build. Pure.
 */
import type { ReviewEvent, SecondMark, StoredReviewEvent, Verdict } from './review-model.ts';

/** The review of one span. */
interface SpanMark {
  verdict: Verdict | null;
  expected: string | null;
  note: string;
  kindId: string | null;
  labels: readonly string[];
  /** The span was accepted together with others, without a decision of its own. */
  isTogether?: boolean;
  /** Time of the last change. */
  atMs: number;
}

/** The decisions of another reviewer, by position. */
export interface SecondReview {
  reviewer: string;
  marks: ReadonlyMap<number, SecondMark>;
  /** Time at which the file of the review was read. */
  atMs: number;
}

interface FailureKind {
  kindId: string;
  name: string;
}

/** The state before an event of the parts that it changed, for undoing it. */
interface Step {
  marks: readonly (readonly [number, SpanMark | undefined])[];
  kinds: readonly FailureKind[];
  takesSkipped: boolean;
}

export interface Review {
  marks: ReadonlyMap<number, SpanMark>;
  /** In order of creation. */
  kinds: readonly FailureKind[];
  /** Whether skipped spans are also added to the dataset. */
  takesSkipped: boolean;
  /** Second reviews, in the order in which their files were first read. */
  seconds: readonly SecondReview[];
  /** Events that can be undone, the latest last; `undone` has those that can be redone. */
  done: readonly Step[];
  undone: readonly Step[];
  /** Numbers of stored events that cannot be read. */
  damaged: readonly number[];
}

interface Draft {
  /** Decisions of second reviews by reviewer. They are copies, so that events can be added to them. */
  copies: Map<string, Map<number, SecondMark>>;
  marks: Map<number, SpanMark>;
  kinds: readonly FailureKind[];
  takesSkipped: boolean;
  seconds: readonly SecondReview[];
  done: Step[];
  undone: Step[];
  damaged: number[];
}

export const NO_REVIEW: Review = {
  marks: new Map(),
  kinds: [],
  takesSkipped: false,
  seconds: [],
  done: [],
  undone: [],
  damaged: [],
};

const NO_MARK: SpanMark = { verdict: null, expected: null, note: '', kindId: null, labels: [], atMs: 0 };

/**
 * The review after one more event; the given review is not modified. An event that changes nothing is not an undo step.
 */
export function reduceReview(review: Review, event: ReviewEvent): Review {
  return foldReview([event], review);
}

/** The review after these events. */
export function foldReview(events: Iterable<StoredReviewEvent>, from: Review = NO_REVIEW): Review {
  const draft: Draft = {
    copies: new Map(),
    marks: new Map(from.marks),
    kinds: from.kinds,
    takesSkipped: from.takesSkipped,
    seconds: from.seconds,
    done: [...from.done],
    undone: [...from.undone],
    damaged: [...from.damaged],
  };
  for (const event of events) take(draft, event);
  const { copies: _, ...review } = draft;
  return review;
}

function take(draft: Draft, event: StoredReviewEvent): void {
  if (event.type === 'damaged') {
    draft.damaged.push(event.seq);
    return;
  }
  if (event.type === 'undo' || event.type === 'redo') {
    const [source, target] = event.type === 'undo' ? [draft.done, draft.undone] : [draft.undone, draft.done];
    const step = source.pop();
    if (step !== undefined) target.push(swap(draft, step));
    return;
  }
  if (event.type === 'second-review' || event.type === 'remove-second-review') {
    draft.seconds = takeSecond(draft, event);
    return;
  }
  const change = changeOf(draft, event);
  if (change === null) return;
  draft.done.push(swap(draft, change));
  draft.undone = [];
}

type SecondEvent = Extract<ReviewEvent, { type: 'second-review' | 'remove-second-review' }>;

/** Copies the decisions of a reviewer only once, not for each event. */
function takeSecond({ copies, ...draft }: Draft, event: SecondEvent): readonly SecondReview[] {
  const { reviewer, atMs } = event;
  const others = draft.seconds.filter((each) => each.reviewer !== reviewer);
  if (event.type === 'remove-second-review') {
    copies.delete(reviewer);
    return others;
  }
  const at = draft.seconds.findIndex((each) => each.reviewer === reviewer);
  const copy = event.isFirst ? undefined : copies.get(reviewer);
  const marks = copy ?? new Map(event.isFirst ? [] : draft.seconds[at]?.marks);
  for (const mark of event.marks) marks.set(mark.position, mark);
  copies.set(reviewer, marks);
  const second = { reviewer, marks, atMs };
  return at < 0 ? [...draft.seconds, second] : draft.seconds.with(at, second);
}

/** Applies the values of a step; returns the previous values as a step. */
function swap(draft: Draft, { marks, kinds, takesSkipped }: Step): Step {
  const before: Step = {
    marks: marks.map(([position]) => [position, draft.marks.get(position)]),
    kinds: draft.kinds,
    takesSkipped: draft.takesSkipped,
  };
  for (const [position, mark] of marks) {
    if (mark === undefined) draft.marks.delete(position);
    else draft.marks.set(position, mark);
  }
  draft.kinds = kinds;
  draft.takesSkipped = takesSkipped;
  return before;
}

type Change = Exclude<ReviewEvent, { type: 'undo' | 'redo' } | SecondEvent>;

/** The values that an event sets; null if it changes nothing. */
function changeOf(draft: Draft, event: Change): Step | null {
  const { marks, kinds, takesSkipped } = draft;
  const isKind = (id: string) => kinds.some((kind) => kind.kindId === id);
  switch (event.type) {
    case 'mark': {
      const given = Object.entries(event.patch).filter(([, value]) => value !== undefined);
      const before = marks.get(event.position) ?? NO_MARK;
      const { isTogether, ...own } = before;
      const isStillTogether = isTogether === true && event.patch.verdict === undefined;
      const mark: SpanMark = {
        ...own,
        ...(isStillTogether ? { isTogether } : {}),
        ...Object.fromEntries(given),
        atMs: event.atMs,
      };
      if (mark.kindId !== null && !isKind(mark.kindId)) return null;
      if (mark.verdict === 'edited' && mark.expected === null) return null;
      return isSameMark(before, mark) ? null : { marks: [[event.position, mark]], kinds, takesSkipped };
    }
    case 'group': {
      const { kindId, name, atMs } = event;
      const moved = [...new Set(event.positions)]
        .map((position) => [position, marks.get(position) ?? NO_MARK] as const)
        .filter(([, mark]) => mark.kindId !== kindId)
        .map(([position, mark]) => [position, { ...mark, kindId, atMs }] as const);
      if (isKind(kindId)) return moved.length === 0 ? null : { marks: moved, kinds, takesSkipped };
      return { marks: moved, kinds: [...kinds, { kindId, name }], takesSkipped };
    }
    case 'accept-open': {
      const accepted = [...new Set(event.positions)]
        .map((position) => [position, marks.get(position) ?? NO_MARK] as const)
        .filter(([, mark]) => mark.verdict === null)
        .map(([position, mark]): [number, SpanMark] => [
          position,
          { ...mark, verdict: 'accepted', isTogether: true, atMs: event.atMs },
        ]);
      return accepted.length === 0 ? null : { marks: accepted, kinds, takesSkipped };
    }
    case 'rename-kind': {
      const { kindId, name } = event;
      if (!kinds.some((kind) => kind.kindId === kindId && kind.name !== name)) return null;
      const renamed = kinds.map((kind) => (kind.kindId === kindId ? { kindId, name } : kind));
      return { marks: [], kinds: renamed, takesSkipped };
    }
    case 'merge-kinds': {
      const { kindId, into, atMs } = event;
      if (kindId === into || !isKind(kindId) || !isKind(into)) return null;
      const moved = [...marks]
        .filter(([, mark]) => mark.kindId === kindId)
        .map(([position, mark]) => [position, { ...mark, kindId: into, atMs }] as const);
      return { marks: moved, kinds: kinds.filter((kind) => kind.kindId !== kindId), takesSkipped };
    }
    case 'take-skipped':
      return event.takes === takesSkipped ? null : { marks: [], kinds, takesSkipped: event.takes };
  }
}

function isSameMark(one: SpanMark, other: SpanMark): boolean {
  const { atMs: _, ...left } = one;
  const { atMs: __, ...right } = other;
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Maximum number of damaged events that the message lists. */
const MAX_NAMED = 10;

/** A sentence about stored decisions that cannot be read; `damaged` is not empty. */
export function damagedDecisions(damaged: readonly number[]): string {
  const named = damaged.slice(0, MAX_NAMED).join(', ');
  const more = damaged.length > MAX_NAMED ? ', …' : '';
  const isOne = damaged.length === 1;
  return `${isOne ? 'One decision' : `${damaged.length} decisions`} of this review cannot be read and ${isOne ? 'was' : 'were'} left out (review_event ${named}${more}).`;
}

/** The effects of changed marks on the dataset. */
export interface ReviewEffects {
  /** Positions of spans to exclude, or to include again. */
  excluded: number[];
  included: number[];
  /** Expected outputs by position; null: the span's own value again. */
  edited: [number, string | null][];
}

type Decided = Pick<Review, 'marks' | 'takesSkipped'>;

/**
 * The effects of a review: rejected spans are excluded, skipped ones too unless the person adds them, and edited ones
 * get their expected output.
 */
export function effectsOf(before: Decided, after: Decided): ReviewEffects {
  const effects: ReviewEffects = { excluded: [], included: [], edited: [] };
  const isSame = before.takesSkipped === after.takesSkipped;
  for (const position of new Set([...before.marks.keys(), ...after.marks.keys()])) {
    const [was, is] = [before.marks.get(position), after.marks.get(position)];
    if (was === is && isSame) continue;
    const [wasOut, isOut] = [isLeftOut(was, before), isLeftOut(is, after)];
    if (isOut && !wasOut) effects.excluded.push(position);
    if (wasOut && !isOut) effects.included.push(position);
    if (editOf(was) !== editOf(is)) effects.edited.push([position, editOf(is)]);
  }
  return effects;
}

const isLeftOut = (mark: SpanMark | undefined, { takesSkipped }: Pick<Review, 'takesSkipped'>): boolean =>
  mark?.verdict === 'rejected' || (mark?.verdict === 'skipped' && !takesSkipped);

const editOf = (mark: SpanMark | undefined): string | null =>
  mark?.verdict === 'edited' ? mark.expected : null;

interface ReviewCounts extends Record<Verdict, number> {
  /** Number of spans with a verdict. */
  decided: number;
  notes: number;
  /** Number of spans that were accepted together. */
  together: number;
  /** Notes on spans without a failure kind. */
  freeNotes: number;
  /** Number of spans for each failure kind, by its id. */
  byKind: ReadonlyMap<string, number>;
}

export function countReview({ marks, kinds }: Pick<Review, 'marks' | 'kinds'>): ReviewCounts {
  const byKind = new Map(kinds.map(({ kindId }) => [kindId, 0]));
  const counts = { accepted: 0, edited: 0, rejected: 0, skipped: 0 };
  const others = { decided: 0, together: 0, notes: 0, freeNotes: 0 };
  for (const { verdict, note, kindId, isTogether } of marks.values()) {
    if (verdict !== null) {
      counts[verdict] += 1;
      others.decided += 1;
    }
    if (isTogether === true) others.together += 1;
    if (note !== '') others.notes += 1;
    if (note !== '' && kindId === null) others.freeNotes += 1;
    if (kindId !== null) byKind.set(kindId, (byKind.get(kindId) ?? 0) + 1);
  }
  return { ...counts, ...others, byKind };
}
