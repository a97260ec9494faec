import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** The classes in which the family limits requests, each by itself. */
export const RATE_CLASSES = ['read', 'update', 'search', 'icon'] as const;

export type RateClass = (typeof RATE_CLASSES)[number];

/** What an operation counts as. */
export type CountedAs = RateClass | 'nothing';

export const COUNTED_AS = Symbol('counted as');

/** The property of the OpenAPI document that states the class of an operation. */
export const RATE_CLASS_EXTENSION = 'x-rate-limit-class';

/** Declares what the requests of an operation count as, where its method does not tell. */
export const CountsAs = (countedAs: CountedAs): MethodDecorator =>
  applyDecorators(SetMetadata(COUNTED_AS, countedAs), ApiExtension(RATE_CLASS_EXTENSION, countedAs));

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * What requests with a method count as: the one place that decides it.
 * @param declared by `@CountsAs()`
 */
export const countedAs = (method: string, declared: CountedAs | undefined): CountedAs =>
  declared ?? (READING_METHODS.has(method) ? 'read' : 'update');
