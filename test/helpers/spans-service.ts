/** A sample service with spans of the test besides its generated data. They are in a file that the test can change. */
import { openStore } from '../../electron/sample-service/store.ts';
import { createSpanStore } from '../../electron/sample-service/store-spans.ts';
import type { DataFolder } from './data-folder.ts';
import { RawService } from './sample-service.ts';

export interface OwnSpan {
  trace_id: string;
  span_id: string;
  start_time: string;
  record: Record<string, unknown>;
}

/**
 * The spans of one application in the file of a sample service, which are modified from outside while the service may
 * be running.
 */
export class SpansInFile {
  readonly #file: string;
  readonly #applicationId: string;

  constructor(file: string, applicationId: string) {
    this.#file = file;
    this.#applicationId = applicationId;
  }

  add(spans: readonly OwnSpan[]): void {
    this.#write((store) => {
      for (const span of spans) store.add(this.#rowOf(span));
    });
  }

  /** Deletes all spans, including generated ones. */
  clear(): void {
    this.#write((store) => store.removeApplication(this.#applicationId));
  }

  /** Moves spans to another time. */
  move(spans: readonly OwnSpan[], start_time: string): void {
    this.remove(spans);
    this.add(spans.map((span) => ({ ...span, start_time })));
  }

  /** Deletes spans. Each must be the only one in its trace. */
  remove(spans: readonly OwnSpan[]): void {
    this.#write((store) =>
      store.removeTraces(
        this.#applicationId,
        spans.map(({ trace_id }) => trace_id),
      ),
    );
  }

  #rowOf({ trace_id: traceId, span_id: spanId, start_time, record }: OwnSpan) {
    const applicationId = this.#applicationId;
    const own = { ...record, trace_id: traceId, span_id: spanId, start_time };
    return { applicationId, traceId, spanId, sessionId: null, startMs: Date.parse(start_time), record: own };
  }

  #write(change: (store: ReturnType<typeof createSpanStore>) => void): void {
    const db = openStore(this.#file);
    try {
      db.transaction(() => change(createSpanStore(db)))();
    } finally {
      db.close();
    }
  }
}

export class SpansService extends SpansInFile {
  readonly raw: RawService;
  readonly applicationId: string;

  private constructor(raw: RawService, applicationId: string, file: string) {
    super(file, applicationId);
    this.raw = raw;
    this.applicationId = applicationId;
  }

  /** Starts a service. The spans belong to its first application. */
  static async start(folder: DataFolder, spans: readonly OwnSpan[]): Promise<SpansService> {
    const dbFile = folder.file('service.db');
    const first = await RawService.start({ dbFile });
    const { items } = await first.page(first.path('applications.list'));
    const application = items.find(({ name }) => name === 'Support assistant') ?? items[0];
    const applicationId = String(application?.['id']);
    await first.service.stop();
    const service = new SpansService(await RawService.start({ dbFile }), applicationId, dbFile);
    service.add(spans);
    return service;
  }
}
