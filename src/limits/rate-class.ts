import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** The classes in which the family limits requests, each separately. */
export const RATE_CLASSES = ['read', 'update', 'search', 'icon'] as const;

export type RateClass = (typeof RATE_CLASSES)[number];

/** The class in which an operation is counted, if any. */
export type CountedAs = RateClass | 'nothing';

export const COUNTED_AS = Symbol('counted as');

/** The property of the OpenAPI document with the class of an operation. */
export const RATE_CLASS_EXTENSION = 'x-rate-limit-class';

/** Declares the class of an operation where its method does not determine it. */
export const CountsAs = (countedAs: CountedAs): MethodDecorator =>
  applyDecorators(SetMetadata(COUNTED_AS, countedAs), ApiExtension(RATE_CLASS_EXTENSION, countedAs));

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Returns the class of a request with a method: the only place that decides it.
 * @param declared by `@CountsAs()`
 */
export const countedAs = (method: string, declared: CountedAs | undefined): CountedAs =>
  declared ?? (READING_METHODS.has(method) ? 'read' : 'update');
