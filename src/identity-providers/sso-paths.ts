/** Returns the path that leads a browser to a provider. */
export const startPath = (key: string): string => `/sign-in/sso/${key}`;

/** Returns the path to which a provider leads the browser back. */
export const callbackPath = (key: string): string => `${startPath(key)}/callback`;

/** Returns the path that leads a browser to a provider to prove again who the user is. */
export const confirmPath = (key: string): string => `/sign-in/confirm/sso/${key}`;
