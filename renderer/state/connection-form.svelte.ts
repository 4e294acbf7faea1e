/** The form of one connection: a draft, what is wrong with it, the last test, and what is going on. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Connection, ConnectionDraft, ConnectionTest } from '../../electron/shared/model.ts';
import { app } from './app.svelte.ts';

export const COLOURS = [
  'indigo',
  'teal',
  'amber',
  'rose',
  'violet',
  'lime',
  'sky',
  'slate',
] as const satisfies readonly Connection['colour'][];

export interface DraftProblems {
  name?: string;
  baseUrl?: string;
  token?: string;
  proxyUrl?: string;
}

const TOKEN = /^[\x21-\x7e]{1,8192}$/;

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
}

/** What a person still has to fill in or mend; empty where the draft can be sent. */
export function findProblems(draft: ConnectionDraft, token: string, needsToken: boolean): DraftProblems {
  const problems: DraftProblems = {};
  if (draft.name.trim() === '') problems.name = 'A name tells connections apart, for example Production.';
  if (!isHttpUrl(draft.baseUrl.trim())) {
    problems.baseUrl = 'An address such as https://example.com is needed.';
  }
  const trimmed = token.trim();
  if (trimmed === '' && needsToken) problems.token = 'The service answers nothing without a token.';
  else if (trimmed !== '' && !TOKEN.test(trimmed)) {
    problems.token = 'A token has no spaces, line ends or letters outside ASCII. Check what was pasted.';
  }
  if (draft.proxyUrl !== null && !isHttpUrl(draft.proxyUrl)) {
    problems.proxyUrl = 'A proxy is written as http://host:port.';
  }
  return problems;
}

function emptyDraft(): ConnectionDraft {
  const used = new Set(app.connections.list.map((connection) => connection.colour));
  return {
    id: null,
    name: '',
    baseUrl: '',
    colour: COLOURS.find((colour) => !used.has(colour)) ?? 'indigo',
    isReadOnly: false,
    allowsPlainHttp: false,
    proxyUrl: null,
    extraCaFile: null,
    tokenStorage: app.connections.keychain?.isAvailable === false ? 'memory' : 'keychain',
  };
}

/** A saved connection as it is edited. */
export function draftOf({ kind: _, createdAtMs: __, tokenHint: ___, ...draft }: Connection): ConnectionDraft {
  return { ...draft };
}

export class ConnectionForm {
  draft: ConnectionDraft = $state(emptyDraft());
  problems = $state.raw<DraftProblems>({});
  test = $state.raw<ConnectionTest | null>(null);
  error = $state.raw<AppError | null>(null);
  phase = $state<'idle' | 'testing' | 'saving'>('idle');
  /** A token is to be typed: there is none yet, or it is being replaced. */
  isTyping = $state(true);

  constructor(connection: Connection | null) {
    if (connection === null) return;
    this.draft = draftOf(connection);
    this.isTyping = connection.tokenHint === null;
  }

  #check(token: string): boolean {
    const { proxyUrl, extraCaFile } = this.draft;
    this.draft.proxyUrl = proxyUrl?.trim() ? proxyUrl.trim() : null;
    this.draft.extraCaFile = extraCaFile?.trim() ? extraCaFile.trim() : null;
    this.problems = findProblems(this.draft, token, this.isTyping);
    return Object.keys(this.problems).length === 0;
  }

  /** Never throws: a failure is shown in the form. */
  async runTest(token: string): Promise<void> {
    if (!this.#check(token)) return;
    this.phase = 'testing';
    this.error = null;
    this.test = null;
    try {
      this.test = await app.connections.test(this.draft, token.trim() === '' ? null : token.trim());
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.phase = 'idle';
    }
  }

  /** Answers what was saved, or null where it was not. */
  async save(token: string): Promise<Connection | null> {
    if (!this.#check(token)) return null;
    this.phase = 'saving';
    this.error = null;
    try {
      const saved = await app.connections.save(this.draft, token.trim() === '' ? null : token.trim());
      this.draft = draftOf(saved);
      this.isTyping = saved.tokenHint === null;
      return saved;
    } catch (thrown) {
      this.error = toAppError(thrown);
      return null;
    } finally {
      this.phase = 'idle';
    }
  }
}
