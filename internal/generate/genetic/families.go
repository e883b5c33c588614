package genetic

import "github.com/ehgnn/ehgnn/internal/generate/surrogate"

// kin is the similarity from which on two members are of one family.
const kin = 0.5

// families reorders members that are sorted by their scores: those come first that have fewer than a number of
// the same family before them, and of the others the order stays. So the best members are those of several families.
func families(sorted []*member, most int) []*member {
	var first, rest []*member
	for _, m := range sorted {
		alike := 0
		for _, f := range first {
			if surrogate.Similarity(f.Bits, m.Bits) > kin {
				if alike++; alike == most {
					break
				}
			}
		}
		if alike < most {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	return append(first, rest...)
}
