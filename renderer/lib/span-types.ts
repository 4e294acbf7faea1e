/** Colour and icon of each span type, used in the list, the tree and its bars. */
import Binary from '@lucide/svelte/icons/binary';
import Bot from '@lucide/svelte/icons/bot';
import FileSearch from '@lucide/svelte/icons/file-search';
import Link2 from '@lucide/svelte/icons/link-2';
import MessageSquareText from '@lucide/svelte/icons/message-square-text';
import Shapes from '@lucide/svelte/icons/shapes';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import Wrench from '@lucide/svelte/icons/wrench';
import type { Component } from 'svelte';

interface SpanTypeLook {
  /** A chart colour as a CSS value. */
  colour: string;
  icon: Component<{ size?: number | string; color?: string }>;
}

const LOOKS: Readonly<Record<string, SpanTypeLook>> = {
  agent: { colour: 'var(--chart-4)', icon: Bot },
  llm: { colour: 'var(--chart-1)', icon: MessageSquareText },
  tool: { colour: 'var(--chart-3)', icon: Wrench },
  chain: { colour: 'var(--chart-8)', icon: Link2 },
  retrieval: { colour: 'var(--chart-2)', icon: FileSearch },
  retriever: { colour: 'var(--chart-2)', icon: FileSearch },
  embedding: { colour: 'var(--chart-5)', icon: Binary },
  guardrail: { colour: 'var(--chart-6)', icon: ShieldCheck },
};
const OTHER: SpanTypeLook = { colour: 'var(--chart-7)', icon: Shapes };

/** Types without a style of their own share one: the service does not document the list of types. */
export function spanTypeLook(type: unknown): SpanTypeLook {
  return LOOKS[String(type).toLowerCase()] ?? OTHER;
}

/** The distinct types in the order of the styles, then unknown types by name. */
export function typesOf(types: readonly string[]): string[] {
  const order = Object.keys(LOOKS);
  const place = (type: string) => {
    const at = order.indexOf(type.toLowerCase());
    return at === -1 ? order.length : at;
  };
  return [...new Set(types.filter((type) => type !== ''))].sort(
    (a, b) => place(a) - place(b) || (a < b ? -1 : 1),
  );
}
