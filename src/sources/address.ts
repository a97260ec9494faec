import { SourceError } from './source.error';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Checks the address of a source.
 * @param form how such an address is written
 * @throws SourceError for a part that no address of a source has, or for a host elsewhere that would get the key in the clear
 */
export function requireSafeAddress(url: URL, form: string): void {
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new SourceError(`The address of a source is only ${form}; keys are given with --key.`);
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    throw new SourceError(
      `HTTP without TLS is only for a source on this machine, because anyone on the way could read the key: use ${form}.`,
    );
  }
}
