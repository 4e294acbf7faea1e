/** The menu of a text: its actions, or no menu if there is no text. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { offerTextMenu, textMenu } from '../../electron/platform/text-menu.ts';

const editFlags = { canCut: true, canCopy: true, canPaste: false, canSelectAll: true };
const roles = (place: { isEditable: boolean; selectionText: string }) =>
  textMenu({ ...place, editFlags })?.map(({ role, enabled }) => `${role ?? '-'} ${enabled ?? ''}`) ?? null;

test('a field can be cut, copied and pasted; selected text can be copied; elsewhere there is no menu', () => {
  expect(roles({ isEditable: true, selectionText: '' })).toEqual([
    'cut true',
    'copy true',
    'paste false',
    '- ',
    'selectAll true',
  ]);
  expect(roles({ isEditable: false, selectionText: 'gpt' })).toEqual(['copy true']);
  expect(roles({ isEditable: false, selectionText: ' \n' })).toBeNull();
});

test('opens if the runtime reports the position', () => {
  const opened: unknown[] = [];
  const Menu = {
    buildFromTemplate: (template: unknown[]) => ({ popup: () => opened.push(template.length) }),
  };
  const contents = new EventEmitter();
  offerTextMenu({ Menu }, contents);
  contents.emit('context-menu', {}, { isEditable: true, selectionText: '', editFlags });
  contents.emit('context-menu', {}, { isEditable: false, selectionText: '', editFlags });
  expect(opened).toEqual([5]);
});
