import { type Agent } from '../access/agent';
import { type Author } from '../access/caller';

/** The originator of a change that the audit log records. */
export interface Actor {
  /** The user; null for a command on the service's machine. */
  id: number | null;
  /** The agent that acts for the user; absent if they act themselves. */
  agent?: Agent;
  /** The address of the client; null when the change was not caused by a request. */
  address: string | null;
}

/** Who is behind a change: usually one user, but an invitation lets a person do what its author has decided. */
export interface Originators {
  /** The author of its activities and the sender of its notifications. */
  author: Author;
  actor: Actor;
}

/** Returns the originators of a change by the user who makes a request. */
export const by = (caller: Author & Actor): Originators => ({ author: caller, actor: caller });

/** A command on the service's machine, which acts for no user. */
export const COMMAND_LINE: Actor = { id: null, address: null };

/** Its name in the audit log. */
export const COMMAND_LINE_NAME = 'command line';
