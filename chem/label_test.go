package chem

import "testing"

func TestLabel(t *testing.T) {
	for want, a := range map[string]Atom{
		"C": {Number: 6}, "NH3+": {Number: 7, ExplicitHs: 3, Charge: 1}, "O−": {Number: 8, Charge: -1}, "OH": {Number: 8, TotalHs: 1},
		"Fe2+": {Number: 26, Charge: 2}, "*": {}, "Og": {Number: 118}, "Br": {Number: 35}, "I": {Number: 53},
	} {
		if have := a.Label(); have != want {
			t.Errorf("%+v is %q, want %q", a, have, want)
		}
	}
}
