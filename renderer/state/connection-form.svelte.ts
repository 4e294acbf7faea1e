/** The form of one connection: its fields, what is wrong with them, the last test, and what is going on. */
import { withScheme } from '../../electron/shared/address.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import {
  type Connection,
  type ConnectionDraft,
  type ConnectionSecrets,
  type ConnectionTest,
  LEAST_TIMEOUT_S,
  MOST_TIMEOUT_S,
} from '../../electron/shared/model.ts';
import { formatNumber } from '../lib/format.ts';
import type { JsonObject } from '../lib/records.ts';
import { app } from './app.svelte.ts';
import type { Draftable } from './drafts.svelte.ts';

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

interface DraftProblems {
  name?: string;
  baseUrl?: string;
  token?: string;
  proxyUrl?: string;
  answerTimeoutS?: string;
}

const TOKEN = /^[\x21-\x7e]{1,8192}$/;

/** What is typed in elements and held nowhere else in the window. */
interface TypedSecrets {
  token: string;
  proxy: string;
  certificate: string;
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
}

function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^(https?|socks(5h?)?):$/.test(url.protocol) && url.hostname !== '';
}

function withProxyScheme(text: string): string {
  if (text.toLowerCase() === 'direct') return 'direct';
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
}

/** What a person still has to fill in or mend; empty where the draft can be sent. */
export function findProblems(draft: ConnectionDraft, token: string, needsToken: boolean): DraftProblems {
  const problems: DraftProblems = {};
  if (draft.name.trim() === '') problems.name = 'Enter a name, for example Production.';
  if (!isHttpUrl(draft.baseUrl.trim())) {
    problems.baseUrl = 'Enter an address such as https://example.com.';
  }
  const trimmed = token.trim();
  if (trimmed === '' && needsToken) problems.token = 'Enter an access token.';
  else if (trimmed !== '' && !TOKEN.test(trimmed)) {
    problems.token =
      'Expected a token without spaces, line breaks or non-ASCII characters. Check what you pasted.';
  }
  if (draft.proxyUrl !== null && draft.proxyUrl !== 'direct' && !isProxyUrl(draft.proxyUrl)) {
    problems.proxyUrl = 'Expected a proxy such as http://host:port or socks5://host:port, or “direct”.';
  }
  const seconds = draft.answerTimeoutS;
  if (seconds !== undefined && (seconds < LEAST_TIMEOUT_S || seconds > MOST_TIMEOUT_S)) {
    problems.answerTimeoutS = `Expected a time-out between ${LEAST_TIMEOUT_S} and ${formatNumber(MOST_TIMEOUT_S)} seconds.`;
  }
  return problems;
}

/** The seconds that were typed; nothing but digits counts. */
export function secondsOf(typed: string): number | undefined {
  const digits = typed.replace(/[^0-9]/g, '').slice(0, 6);
  return digits === '' ? undefined : Number(digits);
}

const tokenIn = ({ token }: TypedSecrets): string | null => (token.trim() === '' ? null : token.trim());

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
export function draftOf({
  kind: _,
  createdAtMs: __,
  tokenHint: ___,
  keptSecrets: ____,
  ...draft
}: Connection): ConnectionDraft {
  return { ...draft };
}

/** An address with a name, a password or a query in it may hold what is not to be written to disk. */
const MAY_HOLD_SECRET = /^[^/]*\/\/[^/?#]*@|[?#]/;

/** What is typed in a form that was left, of the fields it may hold; anything else is left out. */
function readTyped(value: JsonObject): Partial<ConnectionDraft> {
  const { name, baseUrl, colour, isReadOnly, allowsPlainHttp, proxyUrl, extraCaFile, tokenStorage } = value;
  const { answerTimeoutS, proxyUser, clientCertFile } = value;
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof baseUrl === 'string' ? { baseUrl } : {}),
    ...COLOURS.filter((each) => each === colour).map((each) => ({ colour: each }))[0],
    ...(typeof isReadOnly === 'boolean' ? { isReadOnly } : {}),
    ...(typeof allowsPlainHttp === 'boolean' ? { allowsPlainHttp } : {}),
    ...(typeof proxyUrl === 'string' || proxyUrl === null ? { proxyUrl } : {}),
    ...(typeof extraCaFile === 'string' || extraCaFile === null ? { extraCaFile } : {}),
    ...(typeof proxyUser === 'string' ? { proxyUser } : {}),
    ...(typeof clientCertFile === 'string' ? { clientCertFile } : {}),
    ...(typeof answerTimeoutS === 'number' ? { answerTimeoutS } : {}),
    ...(tokenStorage === 'keychain' || tokenStorage === 'memory' ? { tokenStorage } : {}),
  };
}

export class ConnectionForm implements Draftable {
  fields: ConnectionDraft = $state(emptyDraft());
  problems = $state.raw<DraftProblems>({});
  /** What was found, of the fields as they were then. */
  #tested = $state.raw<{ of: string; test: ConnectionTest } | null>(null);
  #failed = $state.raw<{ of: string; error: AppError } | null>(null);
  /** The last that was begun was a test. */
  #isTesting = $state(false);
  /** Counts up as the token is typed, which is held nowhere here. */
  tokenEdits = $state(0);
  /** The scheme that was added to the base URL. */
  addedScheme = $state<string | null>(null);
  phase = $state<'idle' | 'testing' | 'saving'>('idle');
  /** A token is to be typed: there is none yet, or it is being replaced. */
  isTyping = $state(true);
  /** One was typed, into an element that is the only place it is in. */
  hasToken = $state(false);
  /** One was typed, and the element that held it is gone. */
  isTokenLost = $state(false);
  /** The fields as they are without what was typed. */
  #base = $state.raw(emptyDraft());

  /** The last finding; gone as soon as anything that was tested is another. */
  get test(): ConnectionTest | null {
    return this.#tested?.of === this.#reach ? this.#tested.test : null;
  }

  /** Why the last test or save failed; gone as soon as anything is changed. */
  get error(): AppError | null {
    return this.#failed?.of === this.#whole ? this.#failed.error : null;
  }

  /** What a test depends on. */
  get #reach(): string {
    const { baseUrl, allowsPlainHttp, proxyUrl, extraCaFile, proxyUser, clientCertFile } = this.fields;
    const network = [proxyUrl, extraCaFile, proxyUser, clientCertFile];
    return JSON.stringify([baseUrl, allowsPlainHttp, network, this.tokenEdits]);
  }

  /** Is the service asked in another way than by the connection that is stored, or for the first time? */
  get changesReach(): boolean {
    if (this.#base.id === null || this.hasToken) return true;
    const reached = ({
      baseUrl,
      proxyUrl,
      proxyUser,
      extraCaFile,
      clientCertFile,
      allowsPlainHttp,
    }: ConnectionDraft) =>
      JSON.stringify([baseUrl.trim(), proxyUrl, proxyUser, extraCaFile, clientCertFile, allowsPlainHttp]);
    return reached(this.fields) !== reached(this.#base);
  }

  get #whole(): string {
    return JSON.stringify([this.fields, this.tokenEdits]);
  }

  /** A base URL without scheme gets one, as it will be used. */
  completeAddress(): void {
    const typed = this.fields.baseUrl.trim();
    const whole = withScheme(typed);
    if (typed === '' || whole === typed || !isHttpUrl(whole)) return;
    this.fields.baseUrl = whole;
    this.addedScheme = whole.slice(0, whole.length - typed.length);
  }

  constructor(connection: Connection | null) {
    if (connection !== null) this.#take(connection);
  }

  #take(connection: Connection): void {
    this.fields = draftOf(connection);
    this.#base = draftOf(connection);
    this.isTyping = connection.tokenHint === null;
    this.hasToken = false;
    this.isTokenLost = false;
  }

  /** What was typed and not saved, never a token; null where nothing was. */
  get draft(): JsonObject | null {
    const typed = Object.entries(this.fields).filter(([name, value]) => {
      const isSame = value === this.#base[name as keyof ConnectionDraft];
      const isAddress = name === 'baseUrl' || name === 'proxyUrl';
      return !isSame && !(isAddress && MAY_HOLD_SECRET.test(String(value)));
    });
    if (typed.length === 0) return null;
    return { ...Object.fromEntries(typed), isSecretGone: this.hasToken || this.isTokenLost };
  }

  takeDraft(value: JsonObject): void {
    this.fields = { ...this.fields, ...readTyped(value) };
    this.isTokenLost = value['isSecretGone'] === true;
    if (this.isTokenLost) this.isTyping = true;
  }

  /** As it was before anything was typed. */
  reset(): void {
    this.fields = { ...this.#base };
    this.problems = {};
    this.addedScheme = null;
    this.isTokenLost = false;
  }

  /** The element that the token was typed into is gone. */
  leaveToken(): void {
    this.isTokenLost = this.hasToken || this.isTokenLost;
    this.hasToken = false;
  }

  /** This computer keeps no tokens. */
  keepInMemory(): void {
    this.fields.tokenStorage = 'memory';
    this.#base = { ...this.#base, tokenStorage: 'memory' };
  }

  /** A proxy of its own may ask who comes. */
  get asksForLogin(): boolean {
    const { proxyUrl } = this.fields;
    return proxyUrl !== null && proxyUrl.trim() !== '' && proxyUrl.trim().toLowerCase() !== 'direct';
  }

  /** What was typed of the secrets that the fields ask for. */
  #secretsOf({ proxy, certificate }: TypedSecrets): ConnectionSecrets {
    const { proxyUser, clientCertFile } = this.fields;
    return {
      ...(proxyUser === undefined || proxy === '' ? {} : { proxy }),
      ...(clientCertFile === undefined || certificate === '' ? {} : { certificate }),
    };
  }

  #check(token: string): boolean {
    const { proxyUrl, extraCaFile } = this.fields;
    this.completeAddress();
    this.fields.proxyUrl = proxyUrl?.trim() ? withProxyScheme(proxyUrl.trim()) : null;
    this.fields.extraCaFile = extraCaFile?.trim() ? extraCaFile.trim() : null;
    // A name without its proxy, and a file without a path, are none.
    if (!this.asksForLogin || !this.fields.proxyUser?.trim()) delete this.fields.proxyUser;
    if (!this.fields.clientCertFile?.trim()) delete this.fields.clientCertFile;
    this.problems = findProblems(this.fields, token, this.isTyping);
    return Object.keys(this.problems).length === 0;
  }

  /** By the dialog of the system. */
  async chooseAuthorities(): Promise<void> {
    const path = await app.connections.chooseFile('authorities');
    if (path !== null) this.fields.extraCaFile = path;
  }

  /** By the dialog of the system. */
  async chooseCertificate(): Promise<void> {
    const path = await app.connections.chooseFile('certificate');
    if (path !== null) this.fields.clientCertFile = path;
  }

  /** Never throws: a failure is shown in the form. */
  async runTest(typed: TypedSecrets): Promise<void> {
    if (!this.#check(typed.token)) return;
    this.phase = 'testing';
    this.#isTesting = true;
    this.#failed = null;
    this.#tested = null;
    const [reach, whole] = [this.#reach, this.#whole];
    try {
      const test = await app.connections.test(this.fields, tokenIn(typed), this.#secretsOf(typed));
      this.#tested = { of: reach, test };
    } catch (thrown) {
      this.#failed = { of: whole, error: toAppError(thrown) };
    } finally {
      this.phase = 'idle';
    }
  }

  /** Does the service take this token, as far as it was asked? A token without a permission is known all the same. */
  get #isAccepted(): boolean {
    return this.test !== null && (this.test.isOk || this.test.code === 'FORBIDDEN');
  }

  /** Asked of the typed address, and not accepted: it can only be saved as it is. */
  get isDoubtful(): boolean {
    const isTestFailed = this.#isTesting && this.error !== null;
    return (this.test !== null && !this.#isAccepted) || isTestFailed;
  }

  /** Tests, and saves only what the service accepts; answers what was saved, or null where it was not. */
  async connect(typed: TypedSecrets): Promise<Connection | null> {
    if (!this.#isAccepted) await this.runTest(typed);
    return this.#isAccepted ? this.save(typed) : null;
  }

  /** Answers what was saved, or null where it was not. */
  async save(typed: TypedSecrets): Promise<Connection | null> {
    if (!this.#check(typed.token)) return null;
    this.phase = 'saving';
    this.#isTesting = false;
    this.#failed = null;
    const whole = this.#whole;
    try {
      const saved = await app.connections.save(this.fields, tokenIn(typed), this.#secretsOf(typed));
      this.#take(saved);
      return saved;
    } catch (thrown) {
      this.#failed = { of: whole, error: toAppError(thrown) };
      return null;
    } finally {
      this.phase = 'idle';
    }
  }
}
