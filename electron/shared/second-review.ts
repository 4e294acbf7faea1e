/** Agreement and differences of reviewers of the same spans. Pure. */
import { counted } from './count-text.ts';
import { agreementText, differenceText, percentText, rangeText } from './figure-words.ts';
import type { Review, SecondReview } from './review-fold.ts';
import type { Verdict } from './review-model.ts';
import type { ScoreAgreement } from './score-comparison.ts';
import type { Interval } from './wilson.ts';

/** Two reviewers are compared by their opinion of the output; a skipped span has no decision. */
type Decision = 'good' | 'bad';

export function decisionOf(verdict: Verdict | null | undefined): Decision | null {
  if (verdict === 'accepted' || verdict === 'edited') return 'good';
  return verdict === 'rejected' ? 'bad' : null;
}

/** Whether two failure kinds have the same name, ignoring case and surrounding blanks. */
const sameKind = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

type Differences = 'verdict' | 'kind' | null;

/**
 * How a second reviewer decided differently on this span: another verdict, or a rejection for another failure kind.
 * Null until both have decided, because the second reviewer must not see the first decision.
 */
export function differenceAt(
  review: Pick<Review, 'marks' | 'kinds'>,
  { marks }: SecondReview,
  position: number,
): Differences {
  const [own, second] = [review.marks.get(position), marks.get(position)];
  const [decision, other] = [decisionOf(own?.verdict), decisionOf(second?.verdict)];
  if (decision === null || other === null || second === undefined) return null;
  if (other !== decision) return 'verdict';
  const kind = review.kinds.find(({ kindId }) => kindId === own?.kindId)?.name ?? null;
  if (decision !== 'bad' || kind === null || second.kind === null) return null;
  return sameKind(kind, second.kind) ? null : 'kind';
}

/** The opinions of the other reviewers on a span; empty until this reviewer has decided. */
export function opinionsAt(
  { marks, seconds }: Pick<Review, 'marks' | 'seconds'>,
  position: number,
): { reviewer: string; verdict: Verdict; kind: string | null; note: string }[] {
  if ((marks.get(position)?.verdict ?? null) === null) return [];
  return seconds.flatMap(({ reviewer, marks: others }) => {
    const mark = others.get(position);
    if (mark === undefined) return [];
    const { verdict, kind, note } = mark;
    return [{ reviewer, verdict, kind, note }];
  });
}

/** The agreement with one other reviewer. */
export interface ReviewAgreement {
  reviewer: string;
  /** Number of spans decided by both, and of spans decided only by the other one. */
  both: number;
  onlyOther: number;
  /** Number of spans with different decisions. */
  different: number;
  /** Null if no span was decided by both. */
  agreement: ScoreAgreement | null;
  /** Number of spans that both rejected for a named failure kind, and how many of them have the same kind from both. */
  named: number;
  sameKind: number;
  atMs: number;
}

/** The agreement of all reviewers, if there are at least three. */
export interface GroupAgreement {
  reviewers: number;
  /** Spans that every reviewer decided. */
  spans: number;
  /**
   * Fleiss' kappa; null without spans, and if all decisions are the same. The interval is null if there are too few
   * spans, or if the reviewers agree equally on all of them.
   */
  kappa: { value: number; interval: Interval | null } | null;
  /** Share of decisions that are good, from 0 to 1. */
  good: number;
}

/**
 * Example: `3 reviewers decided the same 24 spans: Fleiss’ kappa 0.52 (0.29 to 0.75), good in 61 % of all decisions.`
 */
export function groupAgreementText({ reviewers, spans, kappa, good }: GroupAgreement): string {
  if (spans === 0) return `No span was decided by all ${reviewers} reviewers yet.`;
  const decided = `${reviewers} reviewers decided the same ${counted(spans, 'span')}`;
  if (kappa === null) return `${decided}, all alike: that says nothing of agreement beyond chance.`;
  const range = kappa.interval === null ? 'too alike or too few for a range' : rangeText(...kappa.interval);
  return `${decided}: Fleiss’ kappa ${differenceText(kappa.value)} (${range}), good in ${percentText(good, 1)} % of all decisions.`;
}

/** Rows of a review file: `rows` = `decisions` + `undecided` + `notHere` + `repeated` + `badRows`. */
export interface SecondReviewCounts {
  rows: number;
  /** Number of decisions on spans of this build. */
  decisions: number;
  /** Number of rows without a verdict. */
  undecided: number;
  /** Number of rows about spans that this build does not have. */
  notHere: number;
  /** Number of rows with the same ids as an earlier row; only the earlier row counts. */
  repeated: number;
  /** Number of rows without the ids of a span. */
  badRows: number;
}

/** How often each pair of decisions occurs, and how failure kinds agree. */
export function pairsOf(
  review: Pick<Review, 'marks' | 'kinds'>,
  second: SecondReview,
  positions: ReadonlySet<number>,
): { pairs: { before: Decision; after: Decision; items: number }[] } & Pick<
  ReviewAgreement,
  'onlyOther' | 'named' | 'sameKind'
> {
  const names = new Map(review.kinds.map(({ kindId, name }) => [kindId, name]));
  const counts = new Map<string, { before: Decision; after: Decision; items: number }>();
  const sums = { onlyOther: 0, named: 0, sameKind: 0 };
  for (const [position, other] of second.marks) {
    // Spans can be removed from the build after both decided.
    if (!positions.has(position)) continue;
    const own = review.marks.get(position);
    const [before, after] = [decisionOf(own?.verdict), decisionOf(other.verdict)];
    if (after === null) continue;
    if (before === null) {
      sums.onlyOther += 1;
      continue;
    }
    const pair = counts.get(`${before} ${after}`) ?? { before, after, items: 0 };
    pair.items += 1;
    counts.set(`${before} ${after}`, pair);
    const kind = own?.kindId == null ? null : (names.get(own.kindId) ?? null);
    if (before !== 'bad' || after !== 'bad' || kind === null || other.kind === null) continue;
    sums.named += 1;
    if (sameKind(kind, other.kind)) sums.sameKind += 1;
  }
  return { pairs: [...counts.values()], ...sums };
}

/** Example: `30 spans decided by both. Equal for 80 % (62.7 to 90.5 %), kappa 0.52 (0.2 to 0.84).` */
export function reviewAgreementText({ both, agreement, named, sameKind: same }: ReviewAgreement): string {
  if (agreement === null) return 'No span was decided by both yet.';
  const kinds =
    named === 0 ? '' : ` Same failure kind for ${same} of ${counted(named, 'span')} that both rejected.`;
  return `${counted(both, 'span')} decided by both. ${agreementText(agreement)}${kinds}`;
}

/** Sentences about rows of the file that are not a decision on a span of this build. */
export function secondReviewNotes({ undecided, notHere, repeated, badRows }: SecondReviewCounts): string[] {
  const notes: readonly (readonly [number, string])[] = [
    [undecided, 'without a verdict'],
    [notHere, 'with a span that is not in this draft'],
    [repeated, 'with the ids of an earlier row; only the first counts'],
    [badRows, 'without the ids of a span'],
  ];
  return notes.flatMap(([rows, what]) => (rows === 0 ? [] : [`${counted(rows, 'row')} ${what}.`]));
}
