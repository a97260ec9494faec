import * as z from 'zod';
import { SourceError } from '../source.error';
import { type HttpSpool } from './http-spool';
import { type KeptAnswer, type KeptFile, type Spool, versionOf } from './spool';

export type Query = Readonly<Record<string, string | number | boolean>>;

/** Returns the address of a request below the API's. */
export function addressOf(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

/** A page of a list. */
export interface ListPage<T> {
  elements: T[];
  /** Whether its answer links to a next page; also false where the source links to none. */
  hasNext: boolean;
}

/** Reads an API that answers JSON, with the shapes that its answers must have. */
export class JsonApi {
  private version?: string;

  constructor(
    private readonly http: HttpSpool,
    private readonly spool: Spool,
  ) {}

  /**
   * Returns this API for what belongs to an object: its answers are taken over from the last reading if the object is still the same
   * (`docs/decisions/0072-follow.md`).
   * @param element the object as a list shows it
   */
  about(element: unknown): this {
    const api = Object.assign(Object.create(Object.getPrototypeOf(this) as object) as this, this);
    api.version = versionOf(element);
    return api;
  }

  /** Returns this API for files that may change without another sign: each reading asks for them again. */
  get anew(): this {
    return this.about(this.spool.reading);
  }

  /** Asks for several answers at once, so that the spool has them. */
  prefetch(addresses: readonly string[]): Promise<void> {
    return this.http.prefetch(addresses, this.version);
  }

  /** Returns one object; undefined if there is none, or the key may not see it. @throws SourceError for an answer of another shape */
  async find<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T | undefined> {
    const address = addressOf(path, query);
    const { status, body } = await this.accepted(address);
    return status === 200 ? this.parse(schema, address, body) : undefined;
  }

  /** Returns a page of a list; undefined if there is none, or the key may not see it. @throws SourceError for an answer of another shape */
  async page<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<ListPage<T> | undefined> {
    const address = addressOf(path, query);
    const { status, body, hasNext = false } = await this.accepted(address);
    if (status !== 200) return undefined;
    return { elements: await this.parse(z.array(schema), address, body), hasNext };
  }

  /** Returns an answer. @throws SourceError if the source does not know the request */
  private async accepted(address: string): Promise<KeptAnswer> {
    const answer = await this.http.answer(address, this.version);
    if (answer.status !== 400) return answer;
    await this.spool.forget(address, this.version);
    throw new SourceError(`The source refuses ${address}: it may not have this part of the API.`);
  }

  /** Returns one object; undefined also if the source refuses the request, as for a part of a project that is switched off. */
  async optional<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T | undefined> {
    const address = addressOf(path, query);
    const { status, body } = await this.http.answer(address, this.version);
    return status === 200 ? this.parse(schema, address, body) : undefined;
  }

  /** @throws SourceError for an answer of another shape */
  private async parse<T>(schema: z.ZodType<T>, address: string, body: string): Promise<T> {
    const parsed = safeParse(schema, JSON.parse(body));
    if (parsed.success) return parsed.data;
    await this.spool.forget(address, this.version);
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    throw new SourceError(
      `The answer to ${address} is not as the API describes: ${place === '' ? '' : `${place}: `}${issue?.message ?? ''}.`,
    );
  }

  /** Returns one object that every key may see. */
  async get<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T> {
    const found = await this.find(schema, path, query);
    if (found === undefined) {
      throw new SourceError(`There is no ${addressOf(path, query)}, or the key may not see it.`);
    }
    return found;
  }

  /** Returns a list that is not paged; undefined if the key may not see it. */
  async list<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T[] | undefined> {
    return this.find(z.array(schema), path, query);
  }

  /** Returns a list like `optional`. */
  optionalList<T>(schema: z.ZodType<T>, path: string, query?: Query): Promise<T[] | undefined> {
    return this.optional(z.array(schema), path, query);
  }

  /** Returns the content of a file. */
  file(path: string, size: number): Promise<KeptFile> {
    return this.http.file(path, size, this.version);
  }
}

interface Problem {
  path: PropertyKey[];
  message: string;
}

type Parsed<T> = { success: true; data: T } | { success: false; error: { issues: Problem[] } };

/** Like `schema.safeParse`, but also for values that are nested deeper than the schema can follow. */
function safeParse<T>(schema: z.ZodType<T>, value: unknown): Parsed<T> {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { success: false, error: { issues: [{ path: [], message: 'it is nested too deeply' }] } };
  }
}
