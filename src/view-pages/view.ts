import { type Language } from '../pages/language';
import { type NavigationLink } from '../pages/page';

/** What every page that shows contents needs. */
export interface View {
  language: Language;
  /** The page of the project that the content belongs to. */
  projectLink?: NavigationLink;
}
