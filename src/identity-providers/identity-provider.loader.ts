import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { IdentityProviderRepository } from './data/identity-provider.repository';

/** The identity provider named in the path. */
export interface ProviderResource extends AccessResource {
  key: string;
}

/** Finds the provider of `/space/identityProviders/{providerKey}`. That it exists is no secret; only Administrators learn more. */
@Injectable()
export class IdentityProviderLoader implements ResourceLoader<ProviderResource> {
  constructor(private readonly providers: IdentityProviderRepository) {}

  async load({ providerKey = '' }: PathParameters): Promise<ProviderResource> {
    if (!(await this.providers.findByKey(providerKey))) throw new NoResourceError('identity provider');
    return { key: providerKey };
  }
}
