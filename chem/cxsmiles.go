package chem

import (
	"fmt"
	"regexp"
	"strings"
)

// Cut divides a text into a SMILES, its extension (CXSMILES), which is between bars after a blank,
// and a name at the end. The extension and the name may be empty.
func Cut(text string) (smiles, extension, name string) {
	text = strings.Trim(text, " \t")
	at := strings.IndexAny(text, " \t")
	if at < 0 {
		return text, "", ""
	}
	smiles, name = text[:at], strings.TrimLeft(text[at:], " \t")
	if !strings.HasPrefix(name, "|") {
		return smiles, "", name
	}
	end := strings.IndexByte(name[1:], '|')
	if end < 0 {
		return smiles, name, "" // the toolkit will refuse it
	}
	return smiles, name[:end+2], strings.Trim(name[end+2:], " \t")
}

// Labels and coordinates may have any text. The arrangement at double bonds is a field c, t or ctu.
var (
	cxText   = regexp.MustCompile(`\$[^$]*\$|\([^)]*\)`)
	cxDouble = regexp.MustCompile(`(?:^\||,)(c|t|ctu):`)
)

// CheckExtension returns an error for an extension that changes the molecule but is not read by a
// toolkit here: the arrangement at double bonds (c, t, ctu).
func CheckExtension(extension string) error {
	if m := cxDouble.FindStringSubmatch(cxText.ReplaceAllString(extension, "")); m != nil {
		return &Error{Class: Syntax, Text: fmt.Sprintf("the extension (CXSMILES) has a field %s, the arrangement at double bonds, which is not read; write it into the SMILES with / and \\", m[1])}
	}
	return nil
}
