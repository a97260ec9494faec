/** An AI agent that acts for a user with a key of its own. */
export interface Agent {
  /** The name of the agent, such as that of a program. */
  name: string;
  /** The key's id and name, which are kept after the key has been revoked. */
  keyId: number;
  keyName: string;
}
