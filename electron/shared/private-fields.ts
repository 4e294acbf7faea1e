/** The private fields of the settings, for all data that leaves the window: mirrors, packs, reports, agents. Pure. */
import { AppError } from './errors.ts';
import { namesIn } from './name-list.ts';
import type { Settings } from './settings.ts';

/**
 * Patterns of fields whose values are masked. Throws FORBIDDEN if they were lost with damaged settings and a person has
 * not set them again, because an empty list would mask nothing.
 */
export function privateFieldsOf({
  privateFields,
  arePrivateFieldsLost,
}: Pick<Settings, 'privateFields' | 'arePrivateFieldsLost'>): string[] {
  if (!arePrivateFieldsLost) return namesIn(privateFields);
  throw new AppError(
    'FORBIDDEN',
    'Expected the list of private fields, but it may have been lost with damaged settings. Nothing is written or answered until it is set again.',
    {
      nextStep:
        'Look at the setting privateFields and set it: settings set privateFields NAMES, or settings reset privateFields for none.',
    },
  );
}
