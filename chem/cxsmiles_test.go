package chem_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/chem"
)

func TestCut(t *testing.T) {
	for text, want := range map[string][3]string{
		"CCO":                          {"CCO"},
		" CCO\t":                       {"CCO"},
		"CCO ethanol":                  {"CCO", "", "ethanol"},
		"CCO\tethyl alcohol ":          {"CCO", "", "ethyl alcohol"},
		"CCO |$;;foo$|":                {"CCO", "|$;;foo$|"},
		"CCO |$;;foo$| ethanol, pure":  {"CCO", "|$;;foo$|", "ethanol, pure"},
		"CCO\t|^1:0|\tethanol":         {"CCO", "|^1:0|", "ethanol"},
		"CCO |^1:0":                    {"CCO", "|^1:0"},
		"CCO a|b|":                     {"CCO", "", "a|b|"},
		"C[C@H](F)Cl |&1:1,$a b;;;c$|": {"C[C@H](F)Cl", "|&1:1,$a b;;;c$|"},
	} {
		smiles, extension, name := chem.Cut(text)
		if got := [3]string{smiles, extension, name}; got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

func TestCheckExtension(t *testing.T) {
	for extension, refused := range map[string]bool{
		"|$;;foo$|": false, "|^1:0|": false, "|$c:1;t:2$|": false, "|(0,c:1,;1,2,)|": false, "|C:1.0|": false, "|&1:1,o2:3|": false, "": false,
		"|c:1,3|": true, "|^1:0,t:2|": true, "|$a;b$,ctu:4|": true,
	} {
		if err := chem.CheckExtension(extension); (err != nil) != refused {
			t.Errorf("%s: %v", extension, err)
		}
	}
}
