package operator

// Unstable are patterns of groups that no chemist wants and that scores do not see: an atom that is no
// carbon with a halogen, peroxides, three such atoms in a row, allenes, carbamic acids.
func Unstable() []string {
	return []string{
		"[#7,#8,#15,#16]~[F,Cl,Br,I]",
		"[#8]~[#8]",
		"[#7,#8,#16X2]~[N+0,O,SX2]~[#7,#8,#16X2]", // nitro groups, sulfonyls and aromatic rings may have them
		"[#6]=[#6]=[#6]",
		"[R]=[R]=[R]",
		"[#7]C(=O)[OX2H]",
	}
}
