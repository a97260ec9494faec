import { type Form } from './form';

/** The input of a write, or of a list with filters in its body, given in two places (`docs/decisions/0005-requests.md`). */
export class BodyAndQuery {
  /** @param body a JSON value or a form; an empty object when there is none */
  constructor(
    readonly body: unknown,
    readonly query: Form,
  ) {}
}
