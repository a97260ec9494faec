import { text } from 'node:stream/consumers';
import { Backlog, type Entity } from 'backlog-js';
import { type DeclaredTypes, type TypeProblem } from './declared-types';
import { type FamilyOperation, familyOperationOf } from './documented-operations';

const HOST = 'space.example.com';

/** A response that does not match the client's declarations. */
export interface AnswerProblem extends TypeProblem {
  method: string;
}

/** Published clients, whose responses are compared with their own declarations. Only their requests are redirected to the test server. */
export class RecordedClients {
  readonly called = new Set<string>();
  readonly operations = new Set<FamilyOperation>();
  readonly problems: AnswerProblem[] = [];

  /** @param types the declarations of the client's package */
  constructor(
    private readonly baseUrl: string,
    readonly types: DeclaredTypes,
  ) {}

  /** Returns a client with a key. */
  as(apiKey: string): Backlog {
    const operations: (FamilyOperation | undefined)[] = [];
    const client = new Backlog({
      host: HOST,
      apiKey,
      fetch: (input, init) => {
        const url = (input as string).replace(`https://${HOST}/api/v2`, this.baseUrl);
        operations.push(familyOperationOf(init!.method!, url));
        return fetch(url, init);
      },
    });
    const methods = new Set(this.types.methods);
    return new Proxy(client, {
      get: (target, name: keyof Backlog) => {
        const method = target[name] as (...parameters: unknown[]) => Promise<unknown>;
        if (!methods.has(name)) return method;
        return async (...parameters: unknown[]) => {
          const answer = method.apply(target, parameters);
          return this.record(name, operations.pop(), answer);
        };
      },
    });
  }

  private async record(
    method: string,
    operation: FamilyOperation | undefined,
    answer: Promise<unknown>,
  ): Promise<unknown> {
    this.called.add(method);
    if (operation === undefined) throw new Error(`${method} calls no operation of the family.`);
    this.operations.add(operation);
    const value = await answer;
    this.problems.push(...this.types.problemsWith(method, value).map((problem) => ({ method, ...problem })));
    return value;
  }
}

/** Returns the content of a file that a client has downloaded. An unread file keeps its connection open. */
export async function contentOf(file: Entity.File.FileData): Promise<string> {
  if (!('filename' in file) || file.filename === '') throw new Error('The file has no name.');
  return text(file.body as ReadableStream<Uint8Array>);
}
