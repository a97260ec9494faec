import { Injectable } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { requireOwnForm } from '../access/own-pages';
import { Environment } from '../config/environment';
import { ForgedRequestError, LengthRequiredError, TooLargeFileError } from '../errors/domain-errors';
import { fieldsOf } from '../http/request/field';
import { TextField } from '../http/request/fields';
import { Form } from '../http/request/form';
import { bindRequest } from '../http/request/request-dto.pipe';
import { inTime, readForm } from '../http/request/request-body';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { isCsrfToken, sessionTokenOf } from '../http/request/session-cookie';

/** Maximum size of a form, in bytes: strangers send forms, too. */
const MAX_FORM_SIZE = 16 * 1024;

/** The token against forged requests. It is checked in every form that declares it. */
export const CsrfField = (): PropertyDecorator =>
  TextField({ description: 'The token against forged requests.', max: 100, example: 'x' });

/** A form of a user who has signed in. */
export class SignedForm {
  @CsrfField()
  csrf: string;
}

/**
 * Returns the page with a form again, with an error; undefined for an error that the form cannot show.
 * @param values the texts that were entered, or the first of each field
 * @param lists all that were entered
 */
export type FormAgain = (
  error: unknown,
  values: ReadonlyMap<string, string>,
  lists: ReadonlyMap<string, readonly string[]>,
) => JSX.Element | undefined;

type FormClass = new () => object;

const pagesOfErrors = new WeakMap<Response, (error: unknown) => JSX.Element | undefined>();

/** Returns the page that shows an error beside the form that was sent; undefined without one. */
export const pageWithError = (response: Response, error: unknown): JSX.Element | undefined =>
  pagesOfErrors.get(response)?.(error);

const formsOfRequests = new WeakMap<Request, FormClass>();

/** Returns the class of the form that was sent with a request; undefined before it is read. */
export const formOf = (request: Request): FormClass | undefined => formsOfRequests.get(request);

/** Reads the forms of pages. */
@Injectable()
export class PageFormsService {
  constructor(private readonly environment: Environment) {}

  /**
   * Reads a form of a page of the service, and then checks the rights of its sender again. From then on, an error of the request is shown in
   * the form.
   * @throws ForgedRequestError, InvalidRequestError, LengthRequiredError, TooLargeFileError, the guard's error when the sender has lost their rights meanwhile
   */
  async read<Fields extends object>(
    request: Request,
    response: Response,
    formClass: new () => Fields,
    again?: FormAgain,
  ): Promise<Fields> {
    formsOfRequests.set(request, formClass);
    requireOwnForm(request);
    // Browsers send the length of every form.
    if (isChunked(request)) throw new LengthRequiredError();
    if (!(Number(request.headers['content-length'] ?? 0) <= MAX_FORM_SIZE)) {
      throw new TooLargeFileError('The form is too large.');
    }
    const form = await inTime(request, readForm(request, response), this.environment.BODY_TIMEOUT);
    // The caller may have lost their rights while the form arrived.
    await (request as ReadRequest).onBodyRead?.();
    if (again) {
      const lists = new Map(form instanceof Form ? form.entries : []);
      const values = new Map([...lists].map(([name, [value = '']]) => [name, value]));
      pagesOfErrors.set(response, (error) => again(error, values, lists));
    }
    const fields = bindRequest(formClass, withoutEmpty(form));
    if (isSigned(fields) && !isCsrfToken(fields.csrf, sessionTokenOf(request) ?? '')) {
      throw new ForgedRequestError('The form lacks the token of the session: open the page again.');
    }
    return fields;
  }
}

const isSigned = (fields: object): fields is SignedForm =>
  fieldsOf(fields.constructor as new () => object)?.has('csrf') === true;

/** Browsers send every field of a form, also those that are left empty. */
function withoutEmpty(form: unknown): unknown {
  if (form instanceof Form) {
    for (const [name, values] of form.entries) {
      if (values.every((value) => value === '')) form.entries.delete(name);
    }
  }
  return form;
}

const isChunked = ({ headers }: Request): boolean => headers['transfer-encoding'] !== undefined;
