import { Catch } from '@nestjs/common';
import { type Request } from 'express';
import { PageErrorsFilter } from '../pages/page-errors.filter';
import { errorTextOf } from './error-texts';

/** Shows errors of the pages on which people sign in and care for their account. */
@Catch()
export class AccountErrorsFilter extends PageErrorsFilter {
  protected override textOf(error: unknown, request: Request): string {
    return errorTextOf(error, request);
  }
}
