/** The form for a connection: its fields and problems, the last test, and the present activity. */
import { withoutVersion, withScheme } from '../../electron/shared/address.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import {
  type Connection,
  type ConnectionDraft,
  type ConnectionSecrets,
  type ConnectionTest,
  MAX_TIMEOUT_S,
  MIN_TIMEOUT_S,
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

/** Secrets, which exist only in the input elements. */
interface TypedSecrets {
  token: string;
  proxy: string;
  certificate: string;
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
}

/** The address as it is saved; null if the text is not an address. */
function savedAddress(typed: string): string | null {
  const url = URL.parse(withScheme(typed.trim()));
  return url === null ? null : `${url.origin}${withoutVersion(url.pathname)}`;
}

function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^(https?|socks(5h?)?):$/.test(url.protocol) && url.hostname !== '';
}

function withProxyScheme(text: string): string {
  if (text.toLowerCase() === 'direct') return 'direct';
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
}

/** Fields that the user still has to fill in or correct; empty if the draft can be sent. */
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
  if (seconds !== undefined && (seconds < MIN_TIMEOUT_S || seconds > MAX_TIMEOUT_S)) {
    problems.answerTimeoutS = `Expected a time-out between ${MIN_TIMEOUT_S} and ${formatNumber(MAX_TIMEOUT_S)} seconds.`;
  }
  return problems;
}

/** The typed seconds; undefined if there are other characters than digits. */
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

/** A saved connection in the form of a draft. */
export function draftOf({
  kind: _,
  createdAtMs: __,
  tokenHint: ___,
  keptSecrets: ____,
  ...draft
}: Connection): ConnectionDraft {
  return { ...draft };
}

/** An address with a user name, password or query can contain secrets that must not be written to disk. */
const MAY_HOLD_SECRET = /^[^/]*\/\/[^/?#]*@|[?#]/;

/** The allowed fields from the stored draft of a form. All others are ignored. */
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
  /** The result of the last test, with the fields that were tested. */
  #tested = $state.raw<{ of: string; test: ConnectionTest } | null>(null);
  #failed = $state.raw<{ of: string; error: AppError } | null>(null);
  /** Whether the last action was a test, as opposed to saving. */
  #isTesting = $state(false);
  /** Incremented whenever the token is edited, because the token itself is not held here. */
  tokenEdits = $state(0);
  /** The scheme that was added to the base URL; null if none was. */
  addedScheme = $state<string | null>(null);
  phase = $state<'idle' | 'testing' | 'saving'>('idle');
  /** Whether the form asks for a token: there is none yet, or it is being replaced. */
  isTyping = $state(true);
  /** Whether a token has been typed; it exists only in the input element. */
  hasToken = $state(false);
  /** Whether a token was typed but lost, because its input element was removed. */
  isTokenLost = $state(false);
  /** The fields before the user's changes. */
  #base = $state.raw(emptyDraft());

  /** The last test result; null as soon as a tested field changes. */
  get test(): ConnectionTest | null {
    return this.#tested?.of === this.#reach ? this.#tested.test : null;
  }

  /** The error of the last test or save; null as soon as a field changes. */
  get error(): AppError | null {
    return this.#failed?.of === this.#whole ? this.#failed.error : null;
  }

  /** The fields that a test depends on. */
  get #reach(): string {
    const { baseUrl, allowsPlainHttp, proxyUrl, extraCaFile, proxyUser, clientCertFile } = this.fields;
    const network = [proxyUrl, extraCaFile, proxyUser, clientCertFile];
    return JSON.stringify([baseUrl, allowsPlainHttp, network, this.tokenEdits]);
  }

  /** Whether the connection is new, or would reach the service in another way than the stored one. */
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

  /** The stored address, if the typed one leads to another service; otherwise null. */
  get formerAddress(): string | null {
    const { id, baseUrl } = this.#base;
    if (id === null || !isHttpUrl(withScheme(this.fields.baseUrl.trim()))) return null;
    return savedAddress(this.fields.baseUrl) === baseUrl ? null : baseUrl;
  }

  get #whole(): string {
    return JSON.stringify([this.fields, this.tokenEdits]);
  }

  /** Adds the scheme that will be used to a base URL that has none. */
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

  /** Unsaved input, which never includes the token; null if there is none. */
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

  /** Discards all input. */
  reset(): void {
    this.fields = { ...this.#base };
    this.problems = {};
    this.addedScheme = null;
    this.isTokenLost = false;
  }

  /** To be called when the input element of the token is removed. */
  leaveToken(): void {
    this.isTokenLost = this.hasToken || this.isTokenLost;
    this.hasToken = false;
  }

  /** For a computer that stores no tokens: the token is kept in memory only. */
  keepInMemory(): void {
    this.fields.tokenStorage = 'memory';
    this.#base = { ...this.#base, tokenStorage: 'memory' };
  }

  /** Whether to ask for a login, which a custom proxy can require. */
  get asksForLogin(): boolean {
    const { proxyUrl } = this.fields;
    return proxyUrl !== null && proxyUrl.trim() !== '' && proxyUrl.trim().toLowerCase() !== 'direct';
  }

  /** The typed secrets that the present fields need. */
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
    // A user name without a proxy is ignored, as is a certificate without a path.
    if (!this.asksForLogin || !this.fields.proxyUser?.trim()) delete this.fields.proxyUser;
    if (!this.fields.clientCertFile?.trim()) delete this.fields.clientCertFile;
    this.problems = findProblems(this.fields, token, this.isTyping);
    return Object.keys(this.problems).length === 0;
  }

  /** Opens a file dialog of the system. */
  async chooseAuthorities(): Promise<void> {
    const path = await app.connections.chooseFile('authorities');
    if (path !== null) this.fields.extraCaFile = path;
  }

  /** Opens a file dialog of the system. */
  async chooseCertificate(): Promise<void> {
    const path = await app.connections.chooseFile('certificate');
    if (path !== null) this.fields.clientCertFile = path;
  }

  /** Tests the connection. Never throws: an error is shown in the form. */
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

  /** Whether the test accepted the token. A token without permission to read applications is accepted too. */
  get #isAccepted(): boolean {
    return this.test !== null && (this.test.isOk || this.test.code === 'FORBIDDEN');
  }

  /** Whether the typed address was tested without success, so that it can only be saved untested. */
  get isDoubtful(): boolean {
    const isTestFailed = this.#isTesting && this.error !== null;
    return (this.test !== null && !this.#isAccepted) || isTestFailed;
  }

  /** Tests the connection and saves it only if the service accepts it. Returns the saved connection, or null. */
  async connect(typed: TypedSecrets): Promise<Connection | null> {
    if (!this.#isAccepted) await this.runTest(typed);
    return this.#isAccepted ? this.save(typed) : null;
  }

  /** Returns the saved connection, or null if it was not saved. */
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
