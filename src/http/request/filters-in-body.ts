import { SetMetadata } from '@nestjs/common';

const FILTERS_IN_BODY = Symbol('filters in a body');

/**
 * Marks a list or count whose query parameters may also come in the form body of the GET, as in an example of the family's
 * documentation. No other GET reads a body.
 */
export const FiltersInBody = (): MethodDecorator => SetMetadata(FILTERS_IN_BODY, true);

/** Whether a handler is marked with `FiltersInBody`. */
export const takesFiltersInBody = (handler: object): boolean => Reflect.hasMetadata(FILTERS_IN_BODY, handler);
