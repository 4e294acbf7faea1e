/** Counts and lists everything that an export of conversations leaves out, for the manifest. */
import { LEFT_OUT, LEFT_OUT_PARTS, type LeftOut } from '../core/items/chat-messages.ts';
import type { SkippedRows } from '../shared/export-model.ts';

/** Maximum number of items listed for each reason. */
const MAX_NAMED = 100;

/** Collects rows that are not conversations, by reason, and message parts that lines cannot contain. */
export class Skips {
  readonly #reasons = new Map<string, { rows: number; items: string[] }>();
  readonly #leftOut = new Map<LeftOut, { parts: number; rows: number }>();

  add(reason: string, item: unknown): void {
    const known = this.#reasons.get(reason) ?? { rows: 0, items: [] };
    known.rows += 1;
    const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
    if (known.items.length < MAX_NAMED && id !== undefined) known.items.push(String(id));
    this.#reasons.set(reason, known);
  }

  /** Adds message parts that are missing in the line of an item. */
  leaveOut(parts: Partial<Record<LeftOut, number>>): void {
    for (const part of LEFT_OUT_PARTS) {
      const count = parts[part] ?? 0;
      if (count === 0) continue;
      const known = this.#leftOut.get(part) ?? { parts: 0, rows: 0 };
      this.#leftOut.set(part, { parts: known.parts + count, rows: known.rows + 1 });
    }
  }

  all(): SkippedRows {
    const reasons = [...this.#reasons].map(([reason, { rows, items }]) => ({ reason, rows, items }));
    return {
      rows: reasons.reduce((sum, { rows }) => sum + rows, 0),
      reasons: reasons.toSorted((a, b) => b.rows - a.rows),
      leftOut: [...this.#leftOut].map(([part, counts]) => ({ what: LEFT_OUT[part], ...counts })),
    };
  }
}
