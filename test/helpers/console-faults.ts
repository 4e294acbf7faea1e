/** Messages in the console of a window that fail a test. */
import type { ConsoleMessage } from '@playwright/test';

/**
 * Whether it is an error, or a warning by Svelte, e.g. `derived_inert`: a derived value that stopped updating, because
 * it was created within an effect that has ended.
 */
export const isFault = (message: ConsoleMessage): boolean =>
  message.type() === 'error' || message.text().startsWith('https://svelte.dev/e/');
