import { PartialDto } from '../../http/request/partial-dto';
import { AddIdentityProviderDto } from './add-identity-provider.dto';

/** Body of `PATCH /space/identityProviders/{providerKey}`. */
export class UpdateIdentityProviderDto extends PartialDto(AddIdentityProviderDto, {
  omit: ['key', 'issuer'],
}) {}
