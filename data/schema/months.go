package schema

import (
	"strings"
	"time"
	"unicode"
)

// monthNames are the names of each month in German, French, Spanish, Italian, Portuguese and Dutch, and their
// abbreviations and the English ones.
var monthNames = [12]string{
	"jan januar jänner jän janvier janv enero ene gennaio gen janeiro januari", "feb februar février févr fév fevrier fevr febrero febbraio fevereiro fev februari",
	"mar märz mär mrz maerz mars marzo março maart mrt", "apr april avril avr abril abr aprile", "may mai mayo maggio mag maio mei", "jun juni juin junio giugno giu junho",
	"jul juli juillet juil julio luglio lug julho", "aug august août aout agosto ago augustus", "sep september septembre sept septiembre setiembre settembre set setembro",
	"oct oktober okt octobre octubre ottobre ott outubro out", "nov november novembre noviembre novembro", "dec dezember dez décembre déc decembre december diciembre dic dicembre dezembro",
}

// englishMonths maps names of months in other languages to English.
var englishMonths = func() map[string]string {
	english := map[string]string{}
	for k, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			english[name] = time.Month(k + 1).String()[:3]
		}
	}
	return english
}()

// withoutWords removes what languages write around the names of months: 3. März, 1er janvier, 3 de marzo de 2024.
var withoutWords = strings.NewReplacer(". ", " ", ".-", "-", "1er ", "1 ", " de ", " ")

// inEnglish translates the name of a month in a text to English, 3 Mar 2024 for 3. März 2024; other texts are returned
// unchanged.
func inEnglish(text string) string {
	if strings.IndexFunc(text, unicode.IsDigit) < 0 {
		return text
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if month := englishMonths[strings.ToLower(word)]; month != "" {
			return withoutWords.Replace(strings.Replace(text, word, month, 1))
		}
	}
	return text
}
