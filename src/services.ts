import { type Abstract, type Type } from '@nestjs/common';

/** Finds services of the application by their class. */
export type Services = <Service>(type: Type<Service> | Abstract<Service>) => Service;
