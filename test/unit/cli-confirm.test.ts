/** A command asks or checks before it deletes stored data. */
import { expect, test } from 'vitest';
import { checkForgetting } from '../../electron/cli/confirm.ts';

const context = (isConfirmed: boolean, copyNotice: string | null) => ({
  args: { flag: () => isConfirmed },
  engine: { copyNotice },
});

test('nothing is forgotten without --yes, and nothing in a copy of a folder that cannot be written', () => {
  expect(() => checkForgetting(context(true, null), 'the preset')).not.toThrow();
  expect(() => checkForgetting(context(false, null), 'the preset')).toThrow(
    'Nothing was forgotten. Add --yes to forget the preset.',
  );
  const notice = 'The data folder cannot be written (EROFS). Changes made now are not saved.';
  expect(() => checkForgetting(context(true, notice), 'the preset')).toThrow(notice);
});
