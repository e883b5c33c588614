package operator

// Unstable returns patterns of groups that chemists avoid and that scores do not see: a halogen
// bonded to an atom other than carbon, peroxides, three atoms other than carbon in a row, allenes,
// carbamic acids.
func Unstable() []string {
	return []string{
		"[#7,#8,#15,#16]~[F,Cl,Br,I]",
		"[#8]~[#8]",
		"[#7,#8,#16X2]~[N+0,O,SX2]~[#7,#8,#16X2]", // but not in nitro groups, sulfonyls and aromatic rings
		"[#6]=[#6]=[#6]",
		"[R]=[R]=[R]",
		"[#7]C(=O)[OX2H]",
	}
}
