import { type SourceOptions } from '../source';
import { type HttpOptions, HttpSpool } from './http-spool';
import { Spool } from './spool';

/** The largest answer, in bytes: a page of 100 issues with long texts has some megabytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** How the requests of a kind of source look, and how it limits them. */
export type HttpForm = Pick<
  HttpOptions,
  'base' | 'headersFor' | 'classOf' | 'maxWaitMs' | 'patienceMs' | 'isLimitText'
>;

/**
 * Opens the spool of a source that is read over HTTP.
 * @param identity what the spool is of
 * @throws SourceError if it is of something else
 */
export async function openHttpSpool(
  options: SourceOptions,
  identity: object,
  form: HttpForm,
): Promise<{ spool: Spool; http: HttpSpool }> {
  const { keys, signal, guard, limits = {}, onRequest, onWait } = options;
  const { maxAnswerBytes = MAX_ANSWER_BYTES } = limits;
  const spool = await Spool.open(options.spool, identity, maxAnswerBytes);
  const http = new HttpSpool(spool, {
    ...{ signal, guard, onRequest, onWait },
    ...form,
    ...limits,
    maxAnswerBytes,
    // A source may show to everybody what needs no key.
    keys: keys.length === 0 ? [''] : keys,
  });
  return { spool, http };
}

/** What the spool of a source is of: the source, and the chosen projects. */
export const identityOf = (base: URL, { projects }: SourceOptions): object => ({
  source: base.href,
  ...(projects && { projects: [...projects].sort() }),
});
