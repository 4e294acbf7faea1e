/** A first step as a card on Home. */
import type { Snippet } from 'svelte';
import type { Step } from '../../lib/first-steps.ts';

export interface FirstCardPlan {
  step: Step;
  title: string;
  about: string;
  /** Text of the button. */
  verb: string;
  /** Cost of the step in a few words. */
  cost: string;
  /** The reason why the step cannot be done now; empty while that is not known; null if it can. */
  blocked: string | null;
  /**
   * Whether the step is done: its subject was read, created, kept or sent, wherever the user started that. Opening a
   * view is not enough.
   */
  isDone: boolean;
  /** Performs the step. Throws AppError. */
  act: () => unknown;
  picture: Snippet;
}
