/**
 * The states with their USPS codes, including the territories and the military "states". A code may have two names.
 * Source: USPS Publication 28, appendix B.
 */
export const STATES: readonly { code: string; name: string }[] = `
  AL Alabama, AK Alaska, AS American Samoa, AZ Arizona, AR Arkansas, AA Armed Forces Americas,
  AE Armed Forces Europe, AP Armed Forces Pacific, CA California, CO Colorado, CT Connecticut,
  DE Delaware, DC District of Columbia, FL Florida, GA Georgia, GU Guam, HI Hawaii, ID Idaho,
  IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA Louisiana, ME Maine, MD Maryland,
  MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT Montana,
  NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York,
  NC North Carolina, ND North Dakota, MP Northern Mariana Islands, OH Ohio, OK Oklahoma,
  OR Oregon, PA Pennsylvania, PR Puerto Rico, RI Rhode Island, SC South Carolina, SD South Dakota,
  TN Tennessee, TX Texas, UT Utah, VT Vermont, VI Virgin Islands, VA Virginia, WA Washington,
  DC Washington DC, WV West Virginia, WI Wisconsin, WY Wyoming
`.trim().split(/,\s+/).map((state) => ({ code: state.slice(0, 2), name: state.slice(3) }));
