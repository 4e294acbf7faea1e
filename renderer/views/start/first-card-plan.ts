/** A first step as a card on Home. */
import type { Snippet } from 'svelte';
import type { Step } from '../../lib/first-steps.ts';

export interface FirstCardPlan {
  step: Step;
  title: string;
  about: string;
  /** On its button. */
  verb: string;
  /** Its size in a few words. */
  cost: string;
  /** The reason why it cannot be done now, empty while that is not known; null if it can. */
  blocked: string | null;
  /** Whether what the step is for was read, made, kept or sent, wherever it was begun: an opened view proves nothing. */
  isDone: boolean;
  /** Throws AppError. */
  act: () => unknown;
  picture: Snippet;
}
