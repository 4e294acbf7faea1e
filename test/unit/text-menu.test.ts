/** The menu of a text: what can be done with it, and none where there is no text. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { offerTextMenu, textMenu } from '../../electron/platform/text-menu.ts';

const editFlags = { canCut: true, canCopy: true, canPaste: false, canSelectAll: true };
const roles = (place: { isEditable: boolean; selectionText: string }) =>
  textMenu({ ...place, editFlags })?.map(({ role, enabled }) => `${role ?? '-'} ${enabled ?? ''}`) ?? null;

test('a field is cut, copied and pasted; chosen text is copied; elsewhere there is none', () => {
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

test('it opens where the runtime tells of the place', () => {
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
