package genetic

import "github.com/ehgnn/ehgnn/internal/generate/surrogate"

// kin is the similarity from which two members are in one family.
const kin = 0.5

// families reorders members that are sorted by score. Members with fewer than most members of the
// same family before them come first. The order is otherwise kept. So the first members are of
// several families.
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
