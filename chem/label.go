package chem

import (
	"strconv"
	"strings"
)

// symbols has the symbols of the elements by atomic number, with a wildcard first.
var symbols = strings.Fields(`
* H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K
Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y
Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr
Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au
Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es
Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og`)

// Label returns the atom as drawings show it: its element, hydrogens and charge, such as NH3+.
func (a Atom) Label() string {
	out := symbols[min(int(a.Number), len(symbols)-1)]
	if h := max(a.TotalHs, a.ExplicitHs); h > 0 {
		out += "H" + more(int(h))
	}
	switch {
	case a.Charge > 0:
		out += more(int(a.Charge)) + "+"
	case a.Charge < 0:
		out += more(int(-a.Charge)) + "−"
	}
	return out
}

// more returns a number as text, empty for 1.
func more(n int) string {
	if n == 1 {
		return ""
	}
	return strconv.Itoa(n)
}
