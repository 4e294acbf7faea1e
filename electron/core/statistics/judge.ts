/** Measures a judge against people, and corrects the share that it finds for its errors. Pure. */
import { type Interval, wilson, Z_95 } from '../../shared/wilson.ts';

/** Numbers of items that both a person and the judge decided. */
interface JudgedPairs {
  bothYes: number;
  onlyPerson: number;
  onlyJudge: number;
  bothNo: number;
}

interface CorrectedShare {
  /**
   * Shares of the items with a person's yes that the judge calls yes, and of those with a person's no that it calls no.
   */
  sensitivity: { value: number; interval: Interval | null };
  specificity: { value: number; interval: Interval | null };
  /** The share that people would find (Rogan and Gladen 1978). Null if the judge is no better than chance. */
  share: { value: number; interval: Interval } | null;
}

/**
 * Corrects the share `yes` of `items` that the judge found in items without a person's decision. The interval of Lang
 * and Reiczigel (2014) includes the uncertainty of both. Null if there is no person's yes, no person's no, or no item.
 */
export function correctedShare(
  { bothYes, onlyPerson, onlyJudge, bothNo }: JudgedPairs,
  { yes, items }: { yes: number; items: number },
): CorrectedShare | null {
  const [people, others] = [bothYes + onlyPerson, bothNo + onlyJudge];
  if (people === 0 || others === 0 || items === 0) return null;
  const [seen, spared] = [bothYes / people, bothNo / others];
  const found = {
    sensitivity: { value: seen, interval: wilson(bothYes, people) },
    specificity: { value: spared, interval: wilson(bothNo, others) },
  };
  const gain = seen + spared - 1;
  // Adjusted counts by Agresti and Coull: two more items of each kind for people's decisions, and the squared quantile
  // more for all items.
  const square = Z_95 * Z_95;
  const [size, sure, unsure] = [items + square, people + 2, others + 2];
  const [p, se, sp] = [(yes + square / 2) / size, (bothYes + 1) / sure, (bothNo + 1) / unsure];
  const middleGain = se + sp - 1;
  if (gain <= 0 || middleGain <= 0) return { ...found, share: null };
  const middle = (p + sp - 1) / middleGain;
  const shift = 2 * square * ((middle * se * (1 - se)) / sure - ((1 - middle) * sp * (1 - sp)) / unsure);
  const half =
    (Z_95 / middleGain) *
    Math.sqrt(
      (p * (1 - p)) / size +
        (se * (1 - se) * middle ** 2) / sure +
        (sp * (1 - sp) * (1 - middle) ** 2) / unsure,
    );
  const within = (share: number) => Math.min(1, Math.max(0, share));
  const value = within((yes / items + spared - 1) / gain);
  return {
    ...found,
    share: { value, interval: [within(middle + shift - half), within(middle + shift + half)] },
  };
}
