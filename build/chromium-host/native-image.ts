/** The result of `capturePage`: a PNG that can be written to a file. */
import { HostObject } from './unsupported.ts';

export class NativeImage extends HostObject {
  readonly #png: Buffer;

  constructor(png: Buffer) {
    super();
    this.#png = png;
  }

  toPNG(): Buffer {
    return this.#png;
  }

  toDataURL(): string {
    return `data:image/png;base64,${this.#png.toString('base64')}`;
  }

  isEmpty(): boolean {
    return this.#png.length === 0;
  }

  /** Size in pixels, read from the PNG's header. */
  getSize(): { width: number; height: number } {
    return this.isEmpty()
      ? { width: 0, height: 0 }
      : { width: this.#png.readUInt32BE(16), height: this.#png.readUInt32BE(20) };
  }
}
