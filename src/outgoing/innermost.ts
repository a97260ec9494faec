import { RefusedAddressError } from './address-guard';

/** Returns the error that caused another, such as the one of the connection that a request needed. */
export function innermost(error: unknown): Error {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  if (error instanceof RefusedAddressError) return error;
  if (error instanceof Error) return error.cause instanceof Error ? innermost(error.cause) : error;
  return new Error(String(error));
}
