import assert from "node:assert/strict";
import fc from "fast-check";
import { splitName, withoutCredentials } from "./names.ts";

Deno.test("a full name has a first name, and a last name if there is one", () => {
  for (
    const [name, first_name, last_name] of [
      ["Jane Doe", "Jane", "Doe"],
      ["JANE DOE", "JANE", "DOE"],
      ["Prince", "Prince", undefined],
      ["李小龙", "李小龙", undefined],
      ["J. R. Smith", "J.", "Smith"],
      // Last names of several words.
      ["Maria de la Cruz", "Maria", "de la Cruz"],
      ["Mary Ann van der Berg", "Mary", "van der Berg"],
      ["Ludwig Van Beethoven", "Ludwig", "Van Beethoven"],
      ["Van Morrison", "Van", "Morrison"],
      ["Eva St. John", "Eva", "St. John"],
      // The last name first.
      ["Okoye, Grace", "Grace", "Okoye"],
      ["de la Cruz, Maria", "Maria", "de la Cruz"],
      ["Garcia Soto, Maria Elena", "Maria", "Garcia Soto"],
      ["Vance, J.D.", "J.D.", "Vance"],
      ["Ma, Jack", "Jack", "Ma"],
      ["Do, Kim", "Kim", "Do"],
      ["Rahman, Md.", "Md.", "Rahman"],
      ["Müller, Prof. Dr. Hans", "Hans", "Müller"],
      // The last name comes first in Chinese, Korean and Japanese letters.
      ["山田 太郎", "太郎", "山田"],
      ["王　小明", "小明", "王"],
      ["Wei Zhang", "Wei", "Zhang"],
      // Credentials.
      ["Jane Doe, CLU, ChFC", "Jane", "Doe"],
      ["Jane Doe CLU ChFC", "Jane", "Doe"],
      ["Jane Doe, CLU®, CFP®", "Jane", "Doe"],
      ["JANE DOE, CLU", "JANE", "DOE"],
      ["JANE DOE MD", "JANE", "DOE"],
      ["Jane Doe - CLU", "Jane", "Doe"],
      ["Robert Smith, Ph.D.", "Robert", "Smith"],
      ["Robert Smith MA", "Robert", "Smith"],
      ["ROBERT SMITH, MA", "ROBERT", "SMITH"],
      ["Doe, Jane, RN", "Jane", "Doe"],
      ["Lee, CPA", "Lee", undefined],
      ["Jane Doe, CLU/ChFC", "Jane", "Doe"],
      ["Jane Doe, REALTOR®", "Jane", "Doe"],
      ["Garcia Soto, JP", "JP", "Garcia Soto"],
      // Words after a dash or a bar are not part of the name.
      ["Jane Doe - State Farm", "Jane", "Doe"],
      ["Jane Doe | Insurance Agent", "Jane", "Doe"],
      ["| Jane Doe", "Jane", "Doe"],
      ["Jane Doe (Texas - any county)", "Jane", "Doe"],
      ["RN", "RN", undefined],
      // Names that look like credentials.
      ["Jack Ma", "Jack", "Ma"],
      ["Malcolm X", "Malcolm", "X"],
      ["MARIA LUISA PA", "MARIA", "PA"],
      ["Mary Ann V.", "Mary", "V."],
      // Generations.
      ["John Smith Jr.", "John", "Smith"],
      ["Smith, John Jr.", "John", "Smith"],
      ["John Smith III", "John", "Smith"],
      ["JOHN SMITH V", "JOHN", "SMITH"],
      ["Dr. Samuel van der Berg Jr.", "Samuel", "van der Berg"],
      // Titles.
      ["Prof. Dr. Hans Müller", "Hans", "Müller"],
      ["Prof.Dr. Hans Müller", "Hans", "Müller"],
      ["Mr. and Mrs. John Smith", "John", "Smith"],
      ["Dr. med. Eva Klein", "Eva", "Klein"],
      ["Med Amine Trabelsi", "Med", "Trabelsi"],
      ["Mr John Smith", "John", "Smith"],
      ["Ms. Jane O'Brien, RN, BSN", "Jane", "O'Brien"],
      ["Rev. Martin King", "Martin", "King"],
      ["Sr. Juan Pérez", "Juan", "Pérez"],
      ["Sra. María López", "María", "López"],
      ["Frau Dr. Anna Schmidt", "Anna", "Schmidt"],
      ["Smith, John, Dr.", "John", "Smith"],
      // A title and one name: the first name is unknown.
      ["Dr. Smith", "Dr. Smith", "Smith"],
      ["Herr Müller", "Herr Müller", "Müller"],
      ["Dr. Smith, PhD", "Dr. Smith", "Smith"],
      ["Dr.", "Dr.", undefined],
      // Nicknames and text in parentheses.
      ["Jane Doe (she/her)", "Jane", "Doe"],
      ["Robert (Bob) Smith", "Robert", "Smith"],
      ['Robert "Bob" Smith', "Robert", "Smith"],
      ["“Bob” Smith", "Bob", "Smith"],
      ["(Bob)", "(Bob)", undefined],
      [", ,", ", ,", undefined],
      ["x".repeat(201), "x".repeat(201), undefined],
    ] as const
  ) {
    assert.deepEqual({ last_name: undefined, ...splitName(name) }, { first_name, last_name });
  }
});

Deno.test("a separate name loses titles and credentials, and nothing else", () => {
  for (
    const [given, expected] of [
      ["Jane", "Jane"],
      ["van der Berg", "van der Berg"],
      ["Dr. Jane", "Jane"],
      ["Doe, CLU, ChFC", "Doe"],
      ["Smith Jr.", "Smith"],
      ["Jane MBA", "Jane"],
      ["Garcia  Lopez,  MBA", "Garcia Lopez"],
      ["Doe; CLU;", "Doe"],
      // As sent, except for whitespace.
      ["Jane (Janie)", "Jane (Janie)"],
      ['Zoë-Ann "Zo"', 'Zoë-Ann "Zo"'],
      ["“Bob” (Jr., CLU)", "“Bob” (Jr., CLU)"],
      ['Ann "Zo"RN', 'Ann "Zo"RN'],
      ['GARCIA "MA" LOPEZ MA', 'GARCIA "MA" LOPEZ MA'],
      ['"Dr." "RN"', '"Dr." "RN"'],
      ['Dr.  Robert "Bob,  Jr."  Lee, RN', 'Robert "Bob, Jr." Lee'],
      ["Smith-Jones;", "Smith-Jones;"],
      [" Smith | Jones ", "Smith | Jones"],
      ["  Mary \t Ann\n", "Mary Ann"],
      ["小\u3000明", "小\u3000明"],
      ["Dr.", "Dr."],
      ["Jr., II", "Jr."],
      // Indistinguishable from two names.
      ["Doe, Jane", "Doe, Jane"],
      [" , ", ","],
      ["x ".repeat(200), "x ".repeat(200).trim()],
    ] as const
  ) {
    assert.equal(withoutCredentials(given), expected);
  }
});

Deno.test("property: the names consist of words of the full name", () => {
  const word = fc.constantFrom(
    ...["Jane", "Doe", "van", "de", "Dr.", "Prof.", "Sr.", "Jr.", "MBA", "MA", "Ma", "V", "III"],
    ...[",", "-", "(", ")", "ChFC®"],
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const { first_name, last_name } = splitName(words.join(" "));
      const given = new Set(words);
      for (const part of `${first_name} ${last_name ?? ""}`.trim().split(" ")) {
        assert.ok(given.has(part), part);
      }
      assert.notEqual(first_name, "");
      assert.notEqual(last_name, "");
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("property: a separate name without titles and credentials is stored as sent", () => {
  const piece = fc.constantFrom(..."Zoë|-|Smith|o'|Ma|Jo|(|)|\"|“|”|,|;|.| | - ".split("|"), "|");
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const name = pieces.join("");
      assert.equal(withoutCredentials(name), name.trim().replace(/\s{2,}/g, " "));
    }),
    { numRuns: 2_000 },
  );
});
