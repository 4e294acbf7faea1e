/** The possible verdicts about a span, each with its key and symbol. */
import Check from '@lucide/svelte/icons/check';
import Pencil from '@lucide/svelte/icons/pencil';
import SkipForward from '@lucide/svelte/icons/skip-forward';
import X from '@lucide/svelte/icons/x';

export const VERDICT_KEYS = [
  { verdict: 'accepted', title: 'Accept', key: 'review.accept', icon: Check },
  { verdict: 'edited', title: 'Edit', key: 'review.edit', icon: Pencil },
  { verdict: 'rejected', title: 'Reject', key: 'review.reject', icon: X },
  { verdict: 'skipped', title: 'Skip', key: 'review.skip', icon: SkipForward },
] as const;
