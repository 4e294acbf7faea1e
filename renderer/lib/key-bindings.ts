/** Binds keys of the window to commands: chords by the position of the key, single letters by the typed character. */
import { createKeybindingsHandler } from 'tinykeys';
import { type Command, isTyping } from './commands.ts';

/**
 * A listener for `keydown`. Single letters do nothing while the user types; chords always work, as they type no text.
 */
export function bindKeys(
  commands: readonly Command[],
  perform: (command: Command) => unknown,
): (event: KeyboardEvent) => void {
  const run = (event: KeyboardEvent, command: Command) => {
    event.preventDefault();
    perform(command);
  };
  const bindings: Record<string, (event: KeyboardEvent) => void> = {};
  for (const command of commands) {
    if (command.keys !== null && command.keys.length > 1)
      bindings[command.keys] = (event) => run(event, command);
  }
  const ignore = ({ isComposing, repeat }: KeyboardEvent) => isComposing || repeat;
  const chords = createKeybindingsHandler(bindings, { ignore });
  return (event) => {
    const found = commands.find(({ keys }) => keys === event.key && keys.length === 1);
    if (found === undefined || event.ctrlKey || event.metaKey || event.altKey) chords(event);
    else if (!isTyping(event.target)) run(event, found);
  };
}
