/** Names of this machine, with any port, because it may be forwarded. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Whether a `Host` header names this machine: it cannot mislead other clients, and browsers trust it without TLS. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
