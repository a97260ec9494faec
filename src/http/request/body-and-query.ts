import { type Form } from './form';

/** What a write, or a list with its filters in a body, is given in two places (`docs/decisions/0005-requests.md`). */
export class BodyAndQuery {
  /** @param body a JSON value or a form; an empty object when there is none */
  constructor(
    readonly body: unknown,
    readonly query: Form,
  ) {}
}
