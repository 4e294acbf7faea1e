/** Messages as short lines, one per message, and content that tests about messages share. */
import type { Message, MessagePart } from '../../electron/shared/messages/message.ts';

export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const DATA = `data:image/png;base64,${PNG}`;

function partText(part: MessagePart): string {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'reasoning') return `(${part.text})`;
  if (part.kind === 'picture' || part.kind === 'file')
    return `<${part.kind} ${part.url === DATA ? 'png' : part.url.slice(0, 40)}>`;
  if (part.kind === 'other') return `? ${JSON.stringify(part.value)}`;
  return `${part.kind === 'call' ? 'call' : 'result'} ${part.name} ${JSON.stringify(part.value)}`;
}
export const lines = (messages: readonly Message[] | null) =>
  messages?.map(({ role, parts }) => `${role}: ${parts.map(partText).join(' | ')}`) ?? null;

export const user = (...content: unknown[]) => [{ role: 'user', content }];
export const parts = (...list: unknown[]) => [{ role: 'user', parts: list }];
export const SEEN = ['user: <picture png>'];
